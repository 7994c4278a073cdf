/* Types of pointers to the driver interface's functions, for those who ask for entry points by name: PFN_cuMemAlloc_v3020 is the
 * form that CUDA 3.2 brought, PFN_cuMemAlloc the one that cuda.h means, PFN_cuMemcpy_v7000_ptds that for the thread's own
 * default stream. In: cuda.h's declarations. CUDA Driver API reference, "Driver Entry Point Access". */
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

#define HEDDLE_PFN(name, since, symbol) typedef __typeof__(&symbol) PFN_##name##_v##since;
HEDDLE_PFN(cuArray3DCreate, 3020, cuArray3DCreate_v2)
HEDDLE_PFN(cuArray3DGetDescriptor, 3020, cuArray3DGetDescriptor_v2)
HEDDLE_PFN(cuArrayCreate, 3020, cuArrayCreate_v2)
HEDDLE_PFN(cuArrayDestroy, 2000, cuArrayDestroy)
HEDDLE_PFN(cuArrayGetDescriptor, 3020, cuArrayGetDescriptor_v2)
HEDDLE_PFN(cuArrayGetMemoryRequirements, 11060, cuArrayGetMemoryRequirements)
HEDDLE_PFN(cuArrayGetPlane, 11020, cuArrayGetPlane)
HEDDLE_PFN(cuArrayGetSparseProperties, 11010, cuArrayGetSparseProperties)
HEDDLE_PFN(cuCheckpointProcessCheckpoint, 12080, cuCheckpointProcessCheckpoint)
HEDDLE_PFN(cuCheckpointProcessGetRestoreThreadId, 12080, cuCheckpointProcessGetRestoreThreadId)
HEDDLE_PFN(cuCheckpointProcessGetState, 12080, cuCheckpointProcessGetState)
HEDDLE_PFN(cuCheckpointProcessLock, 12080, cuCheckpointProcessLock)
HEDDLE_PFN(cuCheckpointProcessRestore, 12080, cuCheckpointProcessRestore)
HEDDLE_PFN(cuCheckpointProcessUnlock, 12080, cuCheckpointProcessUnlock)
HEDDLE_PFN(cuCoredumpGetAttribute, 12010, cuCoredumpGetAttribute)
HEDDLE_PFN(cuCoredumpGetAttributeGlobal, 12010, cuCoredumpGetAttributeGlobal)
HEDDLE_PFN(cuCoredumpSetAttribute, 12010, cuCoredumpSetAttribute)
HEDDLE_PFN(cuCoredumpSetAttributeGlobal, 12010, cuCoredumpSetAttributeGlobal)
HEDDLE_PFN(cuCtxAttach, 2000, cuCtxAttach)
HEDDLE_PFN(cuCtxCreate, 2000, cuCtxCreate)
HEDDLE_PFN(cuCtxCreate, 3020, cuCtxCreate_v2)
HEDDLE_PFN(cuCtxCreate, 11040, cuCtxCreate_v3)
HEDDLE_PFN(cuCtxCreate, 12050, cuCtxCreate_v4)
HEDDLE_PFN(cuCtxDestroy, 2000, cuCtxDestroy)
HEDDLE_PFN(cuCtxDestroy, 4000, cuCtxDestroy_v2)
HEDDLE_PFN(cuCtxDetach, 2000, cuCtxDetach)
HEDDLE_PFN(cuCtxDisablePeerAccess, 4000, cuCtxDisablePeerAccess)
HEDDLE_PFN(cuCtxEnablePeerAccess, 4000, cuCtxEnablePeerAccess)
HEDDLE_PFN(cuCtxFromGreenCtx, 12040, cuCtxFromGreenCtx)
HEDDLE_PFN(cuCtxGetApiVersion, 3020, cuCtxGetApiVersion)
HEDDLE_PFN(cuCtxGetCacheConfig, 3020, cuCtxGetCacheConfig)
HEDDLE_PFN(cuCtxGetCurrent, 4000, cuCtxGetCurrent)
HEDDLE_PFN(cuCtxGetDevResource, 12040, cuCtxGetDevResource)
HEDDLE_PFN(cuCtxGetDevice, 2000, cuCtxGetDevice)
HEDDLE_PFN(cuCtxGetExecAffinity, 11040, cuCtxGetExecAffinity)
HEDDLE_PFN(cuCtxGetFlags, 7000, cuCtxGetFlags)
HEDDLE_PFN(cuCtxGetId, 12000, cuCtxGetId)
HEDDLE_PFN(cuCtxGetLimit, 3010, cuCtxGetLimit)
HEDDLE_PFN(cuCtxGetSharedMemConfig, 4020, cuCtxGetSharedMemConfig)
HEDDLE_PFN(cuCtxGetStreamPriorityRange, 5050, cuCtxGetStreamPriorityRange)
HEDDLE_PFN(cuCtxPopCurrent, 2000, cuCtxPopCurrent)
HEDDLE_PFN(cuCtxPopCurrent, 4000, cuCtxPopCurrent_v2)
HEDDLE_PFN(cuCtxPushCurrent, 2000, cuCtxPushCurrent)
HEDDLE_PFN(cuCtxPushCurrent, 4000, cuCtxPushCurrent_v2)
HEDDLE_PFN(cuCtxRecordEvent, 12050, cuCtxRecordEvent)
HEDDLE_PFN(cuCtxResetPersistingL2Cache, 11000, cuCtxResetPersistingL2Cache)
HEDDLE_PFN(cuCtxSetCacheConfig, 3020, cuCtxSetCacheConfig)
HEDDLE_PFN(cuCtxSetCurrent, 4000, cuCtxSetCurrent)
HEDDLE_PFN(cuCtxSetFlags, 12010, cuCtxSetFlags)
HEDDLE_PFN(cuCtxSetLimit, 3010, cuCtxSetLimit)
HEDDLE_PFN(cuCtxSetSharedMemConfig, 4020, cuCtxSetSharedMemConfig)
HEDDLE_PFN(cuCtxSynchronize, 2000, cuCtxSynchronize)
HEDDLE_PFN(cuCtxWaitEvent, 12050, cuCtxWaitEvent)
HEDDLE_PFN(cuDestroyExternalMemory, 10000, cuDestroyExternalMemory)
HEDDLE_PFN(cuDestroyExternalSemaphore, 10000, cuDestroyExternalSemaphore)
HEDDLE_PFN(cuDevResourceGenerateDesc, 12040, cuDevResourceGenerateDesc)
HEDDLE_PFN(cuDevSmResourceSplitByCount, 12040, cuDevSmResourceSplitByCount)
HEDDLE_PFN(cuDeviceCanAccessPeer, 4000, cuDeviceCanAccessPeer)
HEDDLE_PFN(cuDeviceComputeCapability, 2000, cuDeviceComputeCapability)
HEDDLE_PFN(cuDeviceGet, 2000, cuDeviceGet)
HEDDLE_PFN(cuDeviceGetAttribute, 2000, cuDeviceGetAttribute)
HEDDLE_PFN(cuDeviceGetByPCIBusId, 4010, cuDeviceGetByPCIBusId)
HEDDLE_PFN(cuDeviceGetCount, 2000, cuDeviceGetCount)
HEDDLE_PFN(cuDeviceGetDefaultMemPool, 11020, cuDeviceGetDefaultMemPool)
HEDDLE_PFN(cuDeviceGetDevResource, 12040, cuDeviceGetDevResource)
HEDDLE_PFN(cuDeviceGetExecAffinitySupport, 11040, cuDeviceGetExecAffinitySupport)
HEDDLE_PFN(cuDeviceGetGraphMemAttribute, 11040, cuDeviceGetGraphMemAttribute)
HEDDLE_PFN(cuDeviceGetLuid, 10000, cuDeviceGetLuid)
HEDDLE_PFN(cuDeviceGetMemPool, 11020, cuDeviceGetMemPool)
HEDDLE_PFN(cuDeviceGetName, 2000, cuDeviceGetName)
HEDDLE_PFN(cuDeviceGetNvSciSyncAttributes, 10020, cuDeviceGetNvSciSyncAttributes)
HEDDLE_PFN(cuDeviceGetP2PAttribute, 8000, cuDeviceGetP2PAttribute)
HEDDLE_PFN(cuDeviceGetPCIBusId, 4010, cuDeviceGetPCIBusId)
HEDDLE_PFN(cuDeviceGetProperties, 2000, cuDeviceGetProperties)
HEDDLE_PFN(cuDeviceGetTexture1DLinearMaxWidth, 11010, cuDeviceGetTexture1DLinearMaxWidth)
HEDDLE_PFN(cuDeviceGetUuid, 9020, cuDeviceGetUuid)
HEDDLE_PFN(cuDeviceGetUuid, 11040, cuDeviceGetUuid_v2)
HEDDLE_PFN(cuDeviceGraphMemTrim, 11040, cuDeviceGraphMemTrim)
HEDDLE_PFN(cuDevicePrimaryCtxGetState, 7000, cuDevicePrimaryCtxGetState)
HEDDLE_PFN(cuDevicePrimaryCtxRelease, 7000, cuDevicePrimaryCtxRelease)
HEDDLE_PFN(cuDevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2)
HEDDLE_PFN(cuDevicePrimaryCtxReset, 7000, cuDevicePrimaryCtxReset)
HEDDLE_PFN(cuDevicePrimaryCtxReset, 11000, cuDevicePrimaryCtxReset_v2)
HEDDLE_PFN(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain)
HEDDLE_PFN(cuDevicePrimaryCtxSetFlags, 7000, cuDevicePrimaryCtxSetFlags)
HEDDLE_PFN(cuDevicePrimaryCtxSetFlags, 11000, cuDevicePrimaryCtxSetFlags_v2)
HEDDLE_PFN(cuDeviceRegisterAsyncNotification, 12040, cuDeviceRegisterAsyncNotification)
HEDDLE_PFN(cuDeviceSetGraphMemAttribute, 11040, cuDeviceSetGraphMemAttribute)
HEDDLE_PFN(cuDeviceSetMemPool, 11020, cuDeviceSetMemPool)
HEDDLE_PFN(cuDeviceTotalMem, 3020, cuDeviceTotalMem_v2)
HEDDLE_PFN(cuDeviceUnregisterAsyncNotification, 12040, cuDeviceUnregisterAsyncNotification)
HEDDLE_PFN(cuDriverGetVersion, 2020, cuDriverGetVersion)
HEDDLE_PFN(cuEventCreate, 2000, cuEventCreate)
HEDDLE_PFN(cuEventDestroy, 2000, cuEventDestroy)
HEDDLE_PFN(cuEventDestroy, 4000, cuEventDestroy_v2)
HEDDLE_PFN(cuEventElapsedTime, 2000, cuEventElapsedTime)
HEDDLE_PFN(cuEventElapsedTime, 12080, cuEventElapsedTime_v2)
HEDDLE_PFN(cuEventQuery, 2000, cuEventQuery)
HEDDLE_PFN(cuEventRecord, 2000, cuEventRecord)
HEDDLE_PFN(cuEventRecordWithFlags, 11010, cuEventRecordWithFlags)
HEDDLE_PFN(cuEventSynchronize, 2000, cuEventSynchronize)
HEDDLE_PFN(cuExternalMemoryGetMappedBuffer, 10000, cuExternalMemoryGetMappedBuffer)
HEDDLE_PFN(cuExternalMemoryGetMappedMipmappedArray, 10000, cuExternalMemoryGetMappedMipmappedArray)
HEDDLE_PFN(cuFlushGPUDirectRDMAWrites, 11030, cuFlushGPUDirectRDMAWrites)
HEDDLE_PFN(cuFuncGetAttribute, 2020, cuFuncGetAttribute)
HEDDLE_PFN(cuFuncGetModule, 11000, cuFuncGetModule)
HEDDLE_PFN(cuFuncGetName, 12030, cuFuncGetName)
HEDDLE_PFN(cuFuncGetParamInfo, 12040, cuFuncGetParamInfo)
HEDDLE_PFN(cuFuncIsLoaded, 12040, cuFuncIsLoaded)
HEDDLE_PFN(cuFuncLoad, 12040, cuFuncLoad)
HEDDLE_PFN(cuFuncSetAttribute, 9000, cuFuncSetAttribute)
HEDDLE_PFN(cuFuncSetBlockShape, 2000, cuFuncSetBlockShape)
HEDDLE_PFN(cuFuncSetCacheConfig, 3000, cuFuncSetCacheConfig)
HEDDLE_PFN(cuFuncSetSharedMemConfig, 4020, cuFuncSetSharedMemConfig)
HEDDLE_PFN(cuFuncSetSharedSize, 2000, cuFuncSetSharedSize)
HEDDLE_PFN(cuGetErrorName, 6000, cuGetErrorName)
HEDDLE_PFN(cuGetErrorString, 6000, cuGetErrorString)
HEDDLE_PFN(cuGetExportTable, 3000, cuGetExportTable)
HEDDLE_PFN(cuGetProcAddress, 11030, cuGetProcAddress)
HEDDLE_PFN(cuGetProcAddress, 12000, cuGetProcAddress_v2)
HEDDLE_PFN(cuGraphAddBatchMemOpNode, 11070, cuGraphAddBatchMemOpNode)
HEDDLE_PFN(cuGraphAddChildGraphNode, 10000, cuGraphAddChildGraphNode)
HEDDLE_PFN(cuGraphAddDependencies, 10000, cuGraphAddDependencies)
HEDDLE_PFN(cuGraphAddDependencies, 12030, cuGraphAddDependencies_v2)
HEDDLE_PFN(cuGraphAddEmptyNode, 10000, cuGraphAddEmptyNode)
HEDDLE_PFN(cuGraphAddEventRecordNode, 11010, cuGraphAddEventRecordNode)
HEDDLE_PFN(cuGraphAddEventWaitNode, 11010, cuGraphAddEventWaitNode)
HEDDLE_PFN(cuGraphAddExternalSemaphoresSignalNode, 11020, cuGraphAddExternalSemaphoresSignalNode)
HEDDLE_PFN(cuGraphAddExternalSemaphoresWaitNode, 11020, cuGraphAddExternalSemaphoresWaitNode)
HEDDLE_PFN(cuGraphAddHostNode, 10000, cuGraphAddHostNode)
HEDDLE_PFN(cuGraphAddKernelNode, 10000, cuGraphAddKernelNode)
HEDDLE_PFN(cuGraphAddKernelNode, 12000, cuGraphAddKernelNode_v2)
HEDDLE_PFN(cuGraphAddMemAllocNode, 11040, cuGraphAddMemAllocNode)
HEDDLE_PFN(cuGraphAddMemFreeNode, 11040, cuGraphAddMemFreeNode)
HEDDLE_PFN(cuGraphAddMemcpyNode, 10000, cuGraphAddMemcpyNode)
HEDDLE_PFN(cuGraphAddMemsetNode, 10000, cuGraphAddMemsetNode)
HEDDLE_PFN(cuGraphAddNode, 12020, cuGraphAddNode)
HEDDLE_PFN(cuGraphAddNode, 12030, cuGraphAddNode_v2)
HEDDLE_PFN(cuGraphBatchMemOpNodeGetParams, 11070, cuGraphBatchMemOpNodeGetParams)
HEDDLE_PFN(cuGraphBatchMemOpNodeSetParams, 11070, cuGraphBatchMemOpNodeSetParams)
HEDDLE_PFN(cuGraphChildGraphNodeGetGraph, 10000, cuGraphChildGraphNodeGetGraph)
HEDDLE_PFN(cuGraphClone, 10000, cuGraphClone)
HEDDLE_PFN(cuGraphConditionalHandleCreate, 12030, cuGraphConditionalHandleCreate)
HEDDLE_PFN(cuGraphCreate, 10000, cuGraphCreate)
HEDDLE_PFN(cuGraphDebugDotPrint, 11030, cuGraphDebugDotPrint)
HEDDLE_PFN(cuGraphDestroy, 10000, cuGraphDestroy)
HEDDLE_PFN(cuGraphDestroyNode, 10000, cuGraphDestroyNode)
HEDDLE_PFN(cuGraphEventRecordNodeGetEvent, 11010, cuGraphEventRecordNodeGetEvent)
HEDDLE_PFN(cuGraphEventRecordNodeSetEvent, 11010, cuGraphEventRecordNodeSetEvent)
HEDDLE_PFN(cuGraphEventWaitNodeGetEvent, 11010, cuGraphEventWaitNodeGetEvent)
HEDDLE_PFN(cuGraphEventWaitNodeSetEvent, 11010, cuGraphEventWaitNodeSetEvent)
HEDDLE_PFN(cuGraphExecBatchMemOpNodeSetParams, 11070, cuGraphExecBatchMemOpNodeSetParams)
HEDDLE_PFN(cuGraphExecChildGraphNodeSetParams, 11010, cuGraphExecChildGraphNodeSetParams)
HEDDLE_PFN(cuGraphExecDestroy, 10000, cuGraphExecDestroy)
HEDDLE_PFN(cuGraphExecEventRecordNodeSetEvent, 11010, cuGraphExecEventRecordNodeSetEvent)
HEDDLE_PFN(cuGraphExecEventWaitNodeSetEvent, 11010, cuGraphExecEventWaitNodeSetEvent)
HEDDLE_PFN(cuGraphExecExternalSemaphoresSignalNodeSetParams, 11020, cuGraphExecExternalSemaphoresSignalNodeSetParams)
HEDDLE_PFN(cuGraphExecExternalSemaphoresWaitNodeSetParams, 11020, cuGraphExecExternalSemaphoresWaitNodeSetParams)
HEDDLE_PFN(cuGraphExecGetFlags, 12000, cuGraphExecGetFlags)
HEDDLE_PFN(cuGraphExecHostNodeSetParams, 10020, cuGraphExecHostNodeSetParams)
HEDDLE_PFN(cuGraphExecKernelNodeSetParams, 10010, cuGraphExecKernelNodeSetParams)
HEDDLE_PFN(cuGraphExecKernelNodeSetParams, 12000, cuGraphExecKernelNodeSetParams_v2)
HEDDLE_PFN(cuGraphExecMemcpyNodeSetParams, 10020, cuGraphExecMemcpyNodeSetParams)
HEDDLE_PFN(cuGraphExecMemsetNodeSetParams, 10020, cuGraphExecMemsetNodeSetParams)
HEDDLE_PFN(cuGraphExecNodeSetParams, 12020, cuGraphExecNodeSetParams)
HEDDLE_PFN(cuGraphExecUpdate, 10020, cuGraphExecUpdate)
HEDDLE_PFN(cuGraphExecUpdate, 12000, cuGraphExecUpdate_v2)
HEDDLE_PFN(cuGraphExternalSemaphoresSignalNodeGetParams, 11020, cuGraphExternalSemaphoresSignalNodeGetParams)
HEDDLE_PFN(cuGraphExternalSemaphoresSignalNodeSetParams, 11020, cuGraphExternalSemaphoresSignalNodeSetParams)
HEDDLE_PFN(cuGraphExternalSemaphoresWaitNodeGetParams, 11020, cuGraphExternalSemaphoresWaitNodeGetParams)
HEDDLE_PFN(cuGraphExternalSemaphoresWaitNodeSetParams, 11020, cuGraphExternalSemaphoresWaitNodeSetParams)
HEDDLE_PFN(cuGraphGetEdges, 10000, cuGraphGetEdges)
HEDDLE_PFN(cuGraphGetEdges, 12030, cuGraphGetEdges_v2)
HEDDLE_PFN(cuGraphGetNodes, 10000, cuGraphGetNodes)
HEDDLE_PFN(cuGraphGetRootNodes, 10000, cuGraphGetRootNodes)
HEDDLE_PFN(cuGraphHostNodeGetParams, 10000, cuGraphHostNodeGetParams)
HEDDLE_PFN(cuGraphHostNodeSetParams, 10000, cuGraphHostNodeSetParams)
HEDDLE_PFN(cuGraphInstantiate, 10000, cuGraphInstantiate)
HEDDLE_PFN(cuGraphInstantiate, 11000, cuGraphInstantiate_v2)
HEDDLE_PFN(cuGraphInstantiateWithFlags, 11040, cuGraphInstantiateWithFlags)
HEDDLE_PFN(cuGraphInstantiateWithParams, 12000, cuGraphInstantiateWithParams)
HEDDLE_PFN(cuGraphKernelNodeCopyAttributes, 11000, cuGraphKernelNodeCopyAttributes)
HEDDLE_PFN(cuGraphKernelNodeGetAttribute, 11000, cuGraphKernelNodeGetAttribute)
HEDDLE_PFN(cuGraphKernelNodeGetParams, 10000, cuGraphKernelNodeGetParams)
HEDDLE_PFN(cuGraphKernelNodeGetParams, 12000, cuGraphKernelNodeGetParams_v2)
HEDDLE_PFN(cuGraphKernelNodeSetAttribute, 11000, cuGraphKernelNodeSetAttribute)
HEDDLE_PFN(cuGraphKernelNodeSetParams, 10000, cuGraphKernelNodeSetParams)
HEDDLE_PFN(cuGraphKernelNodeSetParams, 12000, cuGraphKernelNodeSetParams_v2)
HEDDLE_PFN(cuGraphLaunch, 10000, cuGraphLaunch)
HEDDLE_PFN(cuGraphMemAllocNodeGetParams, 11040, cuGraphMemAllocNodeGetParams)
HEDDLE_PFN(cuGraphMemFreeNodeGetParams, 11040, cuGraphMemFreeNodeGetParams)
HEDDLE_PFN(cuGraphMemcpyNodeGetParams, 10000, cuGraphMemcpyNodeGetParams)
HEDDLE_PFN(cuGraphMemcpyNodeSetParams, 10000, cuGraphMemcpyNodeSetParams)
HEDDLE_PFN(cuGraphMemsetNodeGetParams, 10000, cuGraphMemsetNodeGetParams)
HEDDLE_PFN(cuGraphMemsetNodeSetParams, 10000, cuGraphMemsetNodeSetParams)
HEDDLE_PFN(cuGraphNodeFindInClone, 10000, cuGraphNodeFindInClone)
HEDDLE_PFN(cuGraphNodeGetDependencies, 10000, cuGraphNodeGetDependencies)
HEDDLE_PFN(cuGraphNodeGetDependencies, 12030, cuGraphNodeGetDependencies_v2)
HEDDLE_PFN(cuGraphNodeGetDependentNodes, 10000, cuGraphNodeGetDependentNodes)
HEDDLE_PFN(cuGraphNodeGetDependentNodes, 12030, cuGraphNodeGetDependentNodes_v2)
HEDDLE_PFN(cuGraphNodeGetEnabled, 11060, cuGraphNodeGetEnabled)
HEDDLE_PFN(cuGraphNodeGetType, 10000, cuGraphNodeGetType)
HEDDLE_PFN(cuGraphNodeSetEnabled, 11060, cuGraphNodeSetEnabled)
HEDDLE_PFN(cuGraphNodeSetParams, 12020, cuGraphNodeSetParams)
HEDDLE_PFN(cuGraphReleaseUserObject, 11030, cuGraphReleaseUserObject)
HEDDLE_PFN(cuGraphRemoveDependencies, 10000, cuGraphRemoveDependencies)
HEDDLE_PFN(cuGraphRemoveDependencies, 12030, cuGraphRemoveDependencies_v2)
HEDDLE_PFN(cuGraphRetainUserObject, 11030, cuGraphRetainUserObject)
HEDDLE_PFN(cuGraphUpload, 11010, cuGraphUpload)
HEDDLE_PFN(cuGraphicsMapResources, 3000, cuGraphicsMapResources)
HEDDLE_PFN(cuGraphicsResourceGetMappedMipmappedArray, 5000, cuGraphicsResourceGetMappedMipmappedArray)
HEDDLE_PFN(cuGraphicsResourceGetMappedPointer, 3020, cuGraphicsResourceGetMappedPointer_v2)
HEDDLE_PFN(cuGraphicsResourceSetMapFlags, 3000, cuGraphicsResourceSetMapFlags)
HEDDLE_PFN(cuGraphicsResourceSetMapFlags, 6050, cuGraphicsResourceSetMapFlags_v2)
HEDDLE_PFN(cuGraphicsSubResourceGetMappedArray, 3000, cuGraphicsSubResourceGetMappedArray)
HEDDLE_PFN(cuGraphicsUnmapResources, 3000, cuGraphicsUnmapResources)
HEDDLE_PFN(cuGraphicsUnregisterResource, 3000, cuGraphicsUnregisterResource)
HEDDLE_PFN(cuGreenCtxCreate, 12040, cuGreenCtxCreate)
HEDDLE_PFN(cuGreenCtxDestroy, 12040, cuGreenCtxDestroy)
HEDDLE_PFN(cuGreenCtxGetDevResource, 12040, cuGreenCtxGetDevResource)
HEDDLE_PFN(cuGreenCtxGetId, 12090, cuGreenCtxGetId)
HEDDLE_PFN(cuGreenCtxRecordEvent, 12040, cuGreenCtxRecordEvent)
HEDDLE_PFN(cuGreenCtxStreamCreate, 12050, cuGreenCtxStreamCreate)
HEDDLE_PFN(cuGreenCtxWaitEvent, 12040, cuGreenCtxWaitEvent)
HEDDLE_PFN(cuImportExternalMemory, 10000, cuImportExternalMemory)
HEDDLE_PFN(cuImportExternalSemaphore, 10000, cuImportExternalSemaphore)
HEDDLE_PFN(cuInit, 2000, cuInit)
HEDDLE_PFN(cuIpcCloseMemHandle, 4010, cuIpcCloseMemHandle)
HEDDLE_PFN(cuIpcGetEventHandle, 4010, cuIpcGetEventHandle)
HEDDLE_PFN(cuIpcGetMemHandle, 4010, cuIpcGetMemHandle)
HEDDLE_PFN(cuIpcOpenEventHandle, 4010, cuIpcOpenEventHandle)
HEDDLE_PFN(cuIpcOpenMemHandle, 4010, cuIpcOpenMemHandle)
HEDDLE_PFN(cuIpcOpenMemHandle, 11000, cuIpcOpenMemHandle_v2)
HEDDLE_PFN(cuKernelGetAttribute, 12000, cuKernelGetAttribute)
HEDDLE_PFN(cuKernelGetFunction, 12000, cuKernelGetFunction)
HEDDLE_PFN(cuKernelGetLibrary, 12050, cuKernelGetLibrary)
HEDDLE_PFN(cuKernelGetName, 12030, cuKernelGetName)
HEDDLE_PFN(cuKernelGetParamInfo, 12040, cuKernelGetParamInfo)
HEDDLE_PFN(cuKernelSetAttribute, 12000, cuKernelSetAttribute)
HEDDLE_PFN(cuKernelSetCacheConfig, 12000, cuKernelSetCacheConfig)
HEDDLE_PFN(cuLaunch, 2000, cuLaunch)
HEDDLE_PFN(cuLaunchCooperativeKernel, 9000, cuLaunchCooperativeKernel)
HEDDLE_PFN(cuLaunchCooperativeKernelMultiDevice, 9000, cuLaunchCooperativeKernelMultiDevice)
HEDDLE_PFN(cuLaunchGrid, 2000, cuLaunchGrid)
HEDDLE_PFN(cuLaunchGridAsync, 2000, cuLaunchGridAsync)
HEDDLE_PFN(cuLaunchHostFunc, 10000, cuLaunchHostFunc)
HEDDLE_PFN(cuLaunchKernel, 4000, cuLaunchKernel)
HEDDLE_PFN(cuLaunchKernelEx, 11060, cuLaunchKernelEx)
HEDDLE_PFN(cuLibraryEnumerateKernels, 12040, cuLibraryEnumerateKernels)
HEDDLE_PFN(cuLibraryGetGlobal, 12000, cuLibraryGetGlobal)
HEDDLE_PFN(cuLibraryGetKernel, 12000, cuLibraryGetKernel)
HEDDLE_PFN(cuLibraryGetKernelCount, 12040, cuLibraryGetKernelCount)
HEDDLE_PFN(cuLibraryGetManaged, 12000, cuLibraryGetManaged)
HEDDLE_PFN(cuLibraryGetModule, 12000, cuLibraryGetModule)
HEDDLE_PFN(cuLibraryGetUnifiedFunction, 12000, cuLibraryGetUnifiedFunction)
HEDDLE_PFN(cuLibraryLoadData, 12000, cuLibraryLoadData)
HEDDLE_PFN(cuLibraryLoadFromFile, 12000, cuLibraryLoadFromFile)
HEDDLE_PFN(cuLibraryUnload, 12000, cuLibraryUnload)
HEDDLE_PFN(cuLinkAddData, 5050, cuLinkAddData)
HEDDLE_PFN(cuLinkAddData, 6050, cuLinkAddData_v2)
HEDDLE_PFN(cuLinkAddFile, 5050, cuLinkAddFile)
HEDDLE_PFN(cuLinkAddFile, 6050, cuLinkAddFile_v2)
HEDDLE_PFN(cuLinkComplete, 5050, cuLinkComplete)
HEDDLE_PFN(cuLinkCreate, 5050, cuLinkCreate)
HEDDLE_PFN(cuLinkCreate, 6050, cuLinkCreate_v2)
HEDDLE_PFN(cuLinkDestroy, 5050, cuLinkDestroy)
HEDDLE_PFN(cuLogsCurrent, 12090, cuLogsCurrent)
HEDDLE_PFN(cuLogsDumpToFile, 12090, cuLogsDumpToFile)
HEDDLE_PFN(cuLogsDumpToMemory, 12090, cuLogsDumpToMemory)
HEDDLE_PFN(cuLogsRegisterCallback, 12090, cuLogsRegisterCallback)
HEDDLE_PFN(cuLogsUnregisterCallback, 12090, cuLogsUnregisterCallback)
HEDDLE_PFN(cuMemAddressFree, 10020, cuMemAddressFree)
HEDDLE_PFN(cuMemAddressReserve, 10020, cuMemAddressReserve)
HEDDLE_PFN(cuMemAdvise, 8000, cuMemAdvise)
HEDDLE_PFN(cuMemAdvise, 12020, cuMemAdvise_v2)
HEDDLE_PFN(cuMemAlloc, 3020, cuMemAlloc_v2)
HEDDLE_PFN(cuMemAllocAsync, 11020, cuMemAllocAsync)
HEDDLE_PFN(cuMemAllocFromPoolAsync, 11020, cuMemAllocFromPoolAsync)
HEDDLE_PFN(cuMemAllocHost, 3020, cuMemAllocHost_v2)
HEDDLE_PFN(cuMemAllocManaged, 6000, cuMemAllocManaged)
HEDDLE_PFN(cuMemAllocPitch, 3020, cuMemAllocPitch_v2)
HEDDLE_PFN(cuMemBatchDecompressAsync, 12060, cuMemBatchDecompressAsync)
HEDDLE_PFN(cuMemCreate, 10020, cuMemCreate)
HEDDLE_PFN(cuMemExportToShareableHandle, 10020, cuMemExportToShareableHandle)
HEDDLE_PFN(cuMemFree, 3020, cuMemFree_v2)
HEDDLE_PFN(cuMemFreeAsync, 11020, cuMemFreeAsync)
HEDDLE_PFN(cuMemFreeHost, 2000, cuMemFreeHost)
HEDDLE_PFN(cuMemGetAccess, 10020, cuMemGetAccess)
HEDDLE_PFN(cuMemGetAddressRange, 3020, cuMemGetAddressRange_v2)
HEDDLE_PFN(cuMemGetAllocationGranularity, 10020, cuMemGetAllocationGranularity)
HEDDLE_PFN(cuMemGetAllocationPropertiesFromHandle, 10020, cuMemGetAllocationPropertiesFromHandle)
HEDDLE_PFN(cuMemGetHandleForAddressRange, 11070, cuMemGetHandleForAddressRange)
HEDDLE_PFN(cuMemGetInfo, 3020, cuMemGetInfo_v2)
HEDDLE_PFN(cuMemHostAlloc, 2020, cuMemHostAlloc)
HEDDLE_PFN(cuMemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2)
HEDDLE_PFN(cuMemHostGetFlags, 2030, cuMemHostGetFlags)
HEDDLE_PFN(cuMemHostRegister, 4000, cuMemHostRegister)
HEDDLE_PFN(cuMemHostRegister, 6050, cuMemHostRegister_v2)
HEDDLE_PFN(cuMemHostUnregister, 4000, cuMemHostUnregister)
HEDDLE_PFN(cuMemImportFromShareableHandle, 10020, cuMemImportFromShareableHandle)
HEDDLE_PFN(cuMemMap, 10020, cuMemMap)
HEDDLE_PFN(cuMemMapArrayAsync, 11010, cuMemMapArrayAsync)
HEDDLE_PFN(cuMemPoolCreate, 11020, cuMemPoolCreate)
HEDDLE_PFN(cuMemPoolDestroy, 11020, cuMemPoolDestroy)
HEDDLE_PFN(cuMemPoolExportPointer, 11020, cuMemPoolExportPointer)
HEDDLE_PFN(cuMemPoolExportToShareableHandle, 11020, cuMemPoolExportToShareableHandle)
HEDDLE_PFN(cuMemPoolGetAccess, 11020, cuMemPoolGetAccess)
HEDDLE_PFN(cuMemPoolGetAttribute, 11020, cuMemPoolGetAttribute)
HEDDLE_PFN(cuMemPoolImportFromShareableHandle, 11020, cuMemPoolImportFromShareableHandle)
HEDDLE_PFN(cuMemPoolImportPointer, 11020, cuMemPoolImportPointer)
HEDDLE_PFN(cuMemPoolSetAccess, 11020, cuMemPoolSetAccess)
HEDDLE_PFN(cuMemPoolSetAttribute, 11020, cuMemPoolSetAttribute)
HEDDLE_PFN(cuMemPoolTrimTo, 11020, cuMemPoolTrimTo)
HEDDLE_PFN(cuMemPrefetchAsync, 8000, cuMemPrefetchAsync)
HEDDLE_PFN(cuMemPrefetchAsync, 12020, cuMemPrefetchAsync_v2)
HEDDLE_PFN(cuMemRangeGetAttribute, 8000, cuMemRangeGetAttribute)
HEDDLE_PFN(cuMemRangeGetAttributes, 8000, cuMemRangeGetAttributes)
HEDDLE_PFN(cuMemRelease, 10020, cuMemRelease)
HEDDLE_PFN(cuMemRetainAllocationHandle, 11000, cuMemRetainAllocationHandle)
HEDDLE_PFN(cuMemSetAccess, 10020, cuMemSetAccess)
HEDDLE_PFN(cuMemUnmap, 10020, cuMemUnmap)
HEDDLE_PFN(cuMemcpy, 4000, cuMemcpy)
HEDDLE_PFN(cuMemcpy2D, 3020, cuMemcpy2D_v2)
HEDDLE_PFN(cuMemcpy2DAsync, 3020, cuMemcpy2DAsync_v2)
HEDDLE_PFN(cuMemcpy2DUnaligned, 3020, cuMemcpy2DUnaligned_v2)
HEDDLE_PFN(cuMemcpy3D, 3020, cuMemcpy3D_v2)
HEDDLE_PFN(cuMemcpy3DAsync, 3020, cuMemcpy3DAsync_v2)
HEDDLE_PFN(cuMemcpy3DBatchAsync, 12080, cuMemcpy3DBatchAsync)
HEDDLE_PFN(cuMemcpy3DPeer, 4000, cuMemcpy3DPeer)
HEDDLE_PFN(cuMemcpy3DPeerAsync, 4000, cuMemcpy3DPeerAsync)
HEDDLE_PFN(cuMemcpyAsync, 4000, cuMemcpyAsync)
HEDDLE_PFN(cuMemcpyAtoA, 3020, cuMemcpyAtoA_v2)
HEDDLE_PFN(cuMemcpyAtoD, 3020, cuMemcpyAtoD_v2)
HEDDLE_PFN(cuMemcpyAtoH, 3020, cuMemcpyAtoH_v2)
HEDDLE_PFN(cuMemcpyAtoHAsync, 3020, cuMemcpyAtoHAsync_v2)
HEDDLE_PFN(cuMemcpyBatchAsync, 12080, cuMemcpyBatchAsync)
HEDDLE_PFN(cuMemcpyDtoA, 3020, cuMemcpyDtoA_v2)
HEDDLE_PFN(cuMemcpyDtoD, 3020, cuMemcpyDtoD_v2)
HEDDLE_PFN(cuMemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2)
HEDDLE_PFN(cuMemcpyDtoH, 3020, cuMemcpyDtoH_v2)
HEDDLE_PFN(cuMemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2)
HEDDLE_PFN(cuMemcpyHtoA, 3020, cuMemcpyHtoA_v2)
HEDDLE_PFN(cuMemcpyHtoAAsync, 3020, cuMemcpyHtoAAsync_v2)
HEDDLE_PFN(cuMemcpyHtoD, 3020, cuMemcpyHtoD_v2)
HEDDLE_PFN(cuMemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2)
HEDDLE_PFN(cuMemcpyPeer, 4000, cuMemcpyPeer)
HEDDLE_PFN(cuMemcpyPeerAsync, 4000, cuMemcpyPeerAsync)
HEDDLE_PFN(cuMemsetD16, 3020, cuMemsetD16_v2)
HEDDLE_PFN(cuMemsetD16Async, 3020, cuMemsetD16Async)
HEDDLE_PFN(cuMemsetD2D16, 3020, cuMemsetD2D16_v2)
HEDDLE_PFN(cuMemsetD2D16Async, 3020, cuMemsetD2D16Async)
HEDDLE_PFN(cuMemsetD2D32, 3020, cuMemsetD2D32_v2)
HEDDLE_PFN(cuMemsetD2D32Async, 3020, cuMemsetD2D32Async)
HEDDLE_PFN(cuMemsetD2D8, 3020, cuMemsetD2D8_v2)
HEDDLE_PFN(cuMemsetD2D8Async, 3020, cuMemsetD2D8Async)
HEDDLE_PFN(cuMemsetD32, 3020, cuMemsetD32_v2)
HEDDLE_PFN(cuMemsetD32Async, 3020, cuMemsetD32Async)
HEDDLE_PFN(cuMemsetD8, 3020, cuMemsetD8_v2)
HEDDLE_PFN(cuMemsetD8Async, 3020, cuMemsetD8Async)
HEDDLE_PFN(cuMipmappedArrayCreate, 5000, cuMipmappedArrayCreate)
HEDDLE_PFN(cuMipmappedArrayDestroy, 5000, cuMipmappedArrayDestroy)
HEDDLE_PFN(cuMipmappedArrayGetLevel, 5000, cuMipmappedArrayGetLevel)
HEDDLE_PFN(cuMipmappedArrayGetMemoryRequirements, 11060, cuMipmappedArrayGetMemoryRequirements)
HEDDLE_PFN(cuMipmappedArrayGetSparseProperties, 11010, cuMipmappedArrayGetSparseProperties)
HEDDLE_PFN(cuModuleEnumerateFunctions, 12040, cuModuleEnumerateFunctions)
HEDDLE_PFN(cuModuleGetFunction, 2000, cuModuleGetFunction)
HEDDLE_PFN(cuModuleGetFunctionCount, 12040, cuModuleGetFunctionCount)
HEDDLE_PFN(cuModuleGetGlobal, 3020, cuModuleGetGlobal_v2)
HEDDLE_PFN(cuModuleGetLoadingMode, 11070, cuModuleGetLoadingMode)
HEDDLE_PFN(cuModuleGetSurfRef, 3000, cuModuleGetSurfRef)
HEDDLE_PFN(cuModuleGetTexRef, 2000, cuModuleGetTexRef)
HEDDLE_PFN(cuModuleLoad, 2000, cuModuleLoad)
HEDDLE_PFN(cuModuleLoadData, 2000, cuModuleLoadData)
HEDDLE_PFN(cuModuleLoadDataEx, 2010, cuModuleLoadDataEx)
HEDDLE_PFN(cuModuleLoadFatBinary, 2000, cuModuleLoadFatBinary)
HEDDLE_PFN(cuModuleUnload, 2000, cuModuleUnload)
HEDDLE_PFN(cuMulticastAddDevice, 12010, cuMulticastAddDevice)
HEDDLE_PFN(cuMulticastBindAddr, 12010, cuMulticastBindAddr)
HEDDLE_PFN(cuMulticastBindMem, 12010, cuMulticastBindMem)
HEDDLE_PFN(cuMulticastCreate, 12010, cuMulticastCreate)
HEDDLE_PFN(cuMulticastGetGranularity, 12010, cuMulticastGetGranularity)
HEDDLE_PFN(cuMulticastUnbind, 12010, cuMulticastUnbind)
HEDDLE_PFN(cuOccupancyAvailableDynamicSMemPerBlock, 10020, cuOccupancyAvailableDynamicSMemPerBlock)
HEDDLE_PFN(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor)
HEDDLE_PFN(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
HEDDLE_PFN(cuOccupancyMaxActiveClusters, 11070, cuOccupancyMaxActiveClusters)
HEDDLE_PFN(cuOccupancyMaxPotentialBlockSize, 6050, cuOccupancyMaxPotentialBlockSize)
HEDDLE_PFN(cuOccupancyMaxPotentialBlockSizeWithFlags, 7000, cuOccupancyMaxPotentialBlockSizeWithFlags)
HEDDLE_PFN(cuOccupancyMaxPotentialClusterSize, 11070, cuOccupancyMaxPotentialClusterSize)
HEDDLE_PFN(cuParamSetSize, 2000, cuParamSetSize)
HEDDLE_PFN(cuParamSetTexRef, 2000, cuParamSetTexRef)
HEDDLE_PFN(cuParamSetf, 2000, cuParamSetf)
HEDDLE_PFN(cuParamSeti, 2000, cuParamSeti)
HEDDLE_PFN(cuParamSetv, 2000, cuParamSetv)
HEDDLE_PFN(cuPointerGetAttribute, 4000, cuPointerGetAttribute)
HEDDLE_PFN(cuPointerGetAttributes, 7000, cuPointerGetAttributes)
HEDDLE_PFN(cuPointerSetAttribute, 6000, cuPointerSetAttribute)
HEDDLE_PFN(cuProfilerInitialize, 4000, cuProfilerInitialize)
HEDDLE_PFN(cuProfilerStart, 4000, cuProfilerStart)
HEDDLE_PFN(cuProfilerStop, 4000, cuProfilerStop)
HEDDLE_PFN(cuSignalExternalSemaphoresAsync, 10000, cuSignalExternalSemaphoresAsync)
HEDDLE_PFN(cuStreamAddCallback, 5000, cuStreamAddCallback)
HEDDLE_PFN(cuStreamAttachMemAsync, 6000, cuStreamAttachMemAsync)
HEDDLE_PFN(cuStreamBatchMemOp, 8000, cuStreamBatchMemOp)
HEDDLE_PFN(cuStreamBatchMemOp, 11070, cuStreamBatchMemOp_v2)
HEDDLE_PFN(cuStreamBeginCapture, 10000, cuStreamBeginCapture)
HEDDLE_PFN(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2)
HEDDLE_PFN(cuStreamBeginCaptureToGraph, 12030, cuStreamBeginCaptureToGraph)
HEDDLE_PFN(cuStreamCopyAttributes, 11000, cuStreamCopyAttributes)
HEDDLE_PFN(cuStreamCreate, 2000, cuStreamCreate)
HEDDLE_PFN(cuStreamCreateWithPriority, 5050, cuStreamCreateWithPriority)
HEDDLE_PFN(cuStreamDestroy, 2000, cuStreamDestroy)
HEDDLE_PFN(cuStreamDestroy, 4000, cuStreamDestroy_v2)
HEDDLE_PFN(cuStreamEndCapture, 10000, cuStreamEndCapture)
HEDDLE_PFN(cuStreamGetAttribute, 11000, cuStreamGetAttribute)
HEDDLE_PFN(cuStreamGetCaptureInfo, 10010, cuStreamGetCaptureInfo)
HEDDLE_PFN(cuStreamGetCaptureInfo, 11030, cuStreamGetCaptureInfo_v2)
HEDDLE_PFN(cuStreamGetCaptureInfo, 12030, cuStreamGetCaptureInfo_v3)
HEDDLE_PFN(cuStreamGetCtx, 9020, cuStreamGetCtx)
HEDDLE_PFN(cuStreamGetCtx, 12050, cuStreamGetCtx_v2)
HEDDLE_PFN(cuStreamGetDevice, 12080, cuStreamGetDevice)
HEDDLE_PFN(cuStreamGetFlags, 5050, cuStreamGetFlags)
HEDDLE_PFN(cuStreamGetGreenCtx, 12040, cuStreamGetGreenCtx)
HEDDLE_PFN(cuStreamGetId, 12000, cuStreamGetId)
HEDDLE_PFN(cuStreamGetPriority, 5050, cuStreamGetPriority)
HEDDLE_PFN(cuStreamIsCapturing, 10000, cuStreamIsCapturing)
HEDDLE_PFN(cuStreamQuery, 2000, cuStreamQuery)
HEDDLE_PFN(cuStreamSetAttribute, 11000, cuStreamSetAttribute)
HEDDLE_PFN(cuStreamSynchronize, 2000, cuStreamSynchronize)
HEDDLE_PFN(cuStreamUpdateCaptureDependencies, 11030, cuStreamUpdateCaptureDependencies)
HEDDLE_PFN(cuStreamUpdateCaptureDependencies, 12030, cuStreamUpdateCaptureDependencies_v2)
HEDDLE_PFN(cuStreamWaitEvent, 3020, cuStreamWaitEvent)
HEDDLE_PFN(cuStreamWaitValue32, 8000, cuStreamWaitValue32)
HEDDLE_PFN(cuStreamWaitValue32, 11070, cuStreamWaitValue32_v2)
HEDDLE_PFN(cuStreamWaitValue64, 9000, cuStreamWaitValue64)
HEDDLE_PFN(cuStreamWaitValue64, 11070, cuStreamWaitValue64_v2)
HEDDLE_PFN(cuStreamWriteValue32, 8000, cuStreamWriteValue32)
HEDDLE_PFN(cuStreamWriteValue32, 11070, cuStreamWriteValue32_v2)
HEDDLE_PFN(cuStreamWriteValue64, 9000, cuStreamWriteValue64)
HEDDLE_PFN(cuStreamWriteValue64, 11070, cuStreamWriteValue64_v2)
HEDDLE_PFN(cuSurfObjectCreate, 5000, cuSurfObjectCreate)
HEDDLE_PFN(cuSurfObjectDestroy, 5000, cuSurfObjectDestroy)
HEDDLE_PFN(cuSurfObjectGetResourceDesc, 5000, cuSurfObjectGetResourceDesc)
HEDDLE_PFN(cuSurfRefGetArray, 3000, cuSurfRefGetArray)
HEDDLE_PFN(cuSurfRefSetArray, 3000, cuSurfRefSetArray)
HEDDLE_PFN(cuTensorMapEncodeIm2col, 12000, cuTensorMapEncodeIm2col)
HEDDLE_PFN(cuTensorMapEncodeIm2colWide, 12080, cuTensorMapEncodeIm2colWide)
HEDDLE_PFN(cuTensorMapEncodeTiled, 12000, cuTensorMapEncodeTiled)
HEDDLE_PFN(cuTensorMapReplaceAddress, 12000, cuTensorMapReplaceAddress)
HEDDLE_PFN(cuTexObjectCreate, 5000, cuTexObjectCreate)
HEDDLE_PFN(cuTexObjectDestroy, 5000, cuTexObjectDestroy)
HEDDLE_PFN(cuTexObjectGetResourceDesc, 5000, cuTexObjectGetResourceDesc)
HEDDLE_PFN(cuTexObjectGetResourceViewDesc, 5000, cuTexObjectGetResourceViewDesc)
HEDDLE_PFN(cuTexObjectGetTextureDesc, 5000, cuTexObjectGetTextureDesc)
HEDDLE_PFN(cuTexRefCreate, 2000, cuTexRefCreate)
HEDDLE_PFN(cuTexRefDestroy, 2000, cuTexRefDestroy)
HEDDLE_PFN(cuTexRefGetAddress, 3020, cuTexRefGetAddress_v2)
HEDDLE_PFN(cuTexRefGetAddressMode, 2000, cuTexRefGetAddressMode)
HEDDLE_PFN(cuTexRefGetArray, 2000, cuTexRefGetArray)
HEDDLE_PFN(cuTexRefGetBorderColor, 8000, cuTexRefGetBorderColor)
HEDDLE_PFN(cuTexRefGetFilterMode, 2000, cuTexRefGetFilterMode)
HEDDLE_PFN(cuTexRefGetFlags, 2000, cuTexRefGetFlags)
HEDDLE_PFN(cuTexRefGetFormat, 2000, cuTexRefGetFormat)
HEDDLE_PFN(cuTexRefGetMaxAnisotropy, 5000, cuTexRefGetMaxAnisotropy)
HEDDLE_PFN(cuTexRefGetMipmapFilterMode, 5000, cuTexRefGetMipmapFilterMode)
HEDDLE_PFN(cuTexRefGetMipmapLevelBias, 5000, cuTexRefGetMipmapLevelBias)
HEDDLE_PFN(cuTexRefGetMipmapLevelClamp, 5000, cuTexRefGetMipmapLevelClamp)
HEDDLE_PFN(cuTexRefGetMipmappedArray, 5000, cuTexRefGetMipmappedArray)
HEDDLE_PFN(cuTexRefSetAddress, 3020, cuTexRefSetAddress_v2)
HEDDLE_PFN(cuTexRefSetAddress2D, 3020, cuTexRefSetAddress2D_v2)
HEDDLE_PFN(cuTexRefSetAddress2D, 4010, cuTexRefSetAddress2D_v3)
HEDDLE_PFN(cuTexRefSetAddressMode, 2000, cuTexRefSetAddressMode)
HEDDLE_PFN(cuTexRefSetArray, 2000, cuTexRefSetArray)
HEDDLE_PFN(cuTexRefSetBorderColor, 8000, cuTexRefSetBorderColor)
HEDDLE_PFN(cuTexRefSetFilterMode, 2000, cuTexRefSetFilterMode)
HEDDLE_PFN(cuTexRefSetFlags, 2000, cuTexRefSetFlags)
HEDDLE_PFN(cuTexRefSetFormat, 2000, cuTexRefSetFormat)
HEDDLE_PFN(cuTexRefSetMaxAnisotropy, 5000, cuTexRefSetMaxAnisotropy)
HEDDLE_PFN(cuTexRefSetMipmapFilterMode, 5000, cuTexRefSetMipmapFilterMode)
HEDDLE_PFN(cuTexRefSetMipmapLevelBias, 5000, cuTexRefSetMipmapLevelBias)
HEDDLE_PFN(cuTexRefSetMipmapLevelClamp, 5000, cuTexRefSetMipmapLevelClamp)
HEDDLE_PFN(cuTexRefSetMipmappedArray, 5000, cuTexRefSetMipmappedArray)
HEDDLE_PFN(cuThreadExchangeStreamCaptureMode, 10010, cuThreadExchangeStreamCaptureMode)
HEDDLE_PFN(cuUserObjectCreate, 11030, cuUserObjectCreate)
HEDDLE_PFN(cuUserObjectRelease, 11030, cuUserObjectRelease)
HEDDLE_PFN(cuUserObjectRetain, 11030, cuUserObjectRetain)
HEDDLE_PFN(cuWaitExternalSemaphoresAsync, 10000, cuWaitExternalSemaphoresAsync)
#undef HEDDLE_PFN

#define HEDDLE_PFN_ON_STREAM(name, since, suffix, symbol) typedef __typeof__(&symbol) PFN_##name##_v##since##_##suffix;
HEDDLE_PFN_ON_STREAM(cuEventRecord, 7000, ptsz, cuEventRecord_ptsz)
HEDDLE_PFN_ON_STREAM(cuEventRecordWithFlags, 11010, ptsz, cuEventRecordWithFlags_ptsz)
HEDDLE_PFN_ON_STREAM(cuGraphInstantiateWithParams, 12000, ptsz, cuGraphInstantiateWithParams_ptsz)
HEDDLE_PFN_ON_STREAM(cuGraphLaunch, 10000, ptsz, cuGraphLaunch_ptsz)
HEDDLE_PFN_ON_STREAM(cuGraphUpload, 11010, ptsz, cuGraphUpload_ptsz)
HEDDLE_PFN_ON_STREAM(cuGraphicsMapResources, 7000, ptsz, cuGraphicsMapResources_ptsz)
HEDDLE_PFN_ON_STREAM(cuGraphicsUnmapResources, 7000, ptsz, cuGraphicsUnmapResources_ptsz)
HEDDLE_PFN_ON_STREAM(cuLaunchCooperativeKernel, 9000, ptsz, cuLaunchCooperativeKernel_ptsz)
HEDDLE_PFN_ON_STREAM(cuLaunchHostFunc, 10000, ptsz, cuLaunchHostFunc_ptsz)
HEDDLE_PFN_ON_STREAM(cuLaunchKernel, 7000, ptsz, cuLaunchKernel_ptsz)
HEDDLE_PFN_ON_STREAM(cuLaunchKernelEx, 11060, ptsz, cuLaunchKernelEx_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemAllocAsync, 11020, ptsz, cuMemAllocAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemAllocFromPoolAsync, 11020, ptsz, cuMemAllocFromPoolAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemBatchDecompressAsync, 12060, ptsz, cuMemBatchDecompressAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemFreeAsync, 11020, ptsz, cuMemFreeAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemMapArrayAsync, 11010, ptsz, cuMemMapArrayAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemPrefetchAsync, 12020, ptsz, cuMemPrefetchAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemPrefetchAsync, 8000, ptsz, cuMemPrefetchAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpy, 7000, ptds, cuMemcpy_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpy2D, 7000, ptds, cuMemcpy2D_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpy2DAsync, 7000, ptsz, cuMemcpy2DAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpy2DUnaligned, 7000, ptds, cuMemcpy2DUnaligned_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpy3D, 7000, ptds, cuMemcpy3D_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpy3DAsync, 7000, ptsz, cuMemcpy3DAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpy3DBatchAsync, 12080, ptsz, cuMemcpy3DBatchAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpy3DPeer, 7000, ptds, cuMemcpy3DPeer_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpy3DPeerAsync, 7000, ptsz, cuMemcpy3DPeerAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyAsync, 7000, ptsz, cuMemcpyAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyAtoA, 7000, ptds, cuMemcpyAtoA_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyAtoD, 7000, ptds, cuMemcpyAtoD_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyAtoH, 7000, ptds, cuMemcpyAtoH_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyAtoHAsync, 7000, ptsz, cuMemcpyAtoHAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyBatchAsync, 12080, ptsz, cuMemcpyBatchAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyDtoA, 7000, ptds, cuMemcpyDtoA_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyDtoD, 7000, ptds, cuMemcpyDtoD_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyDtoDAsync, 7000, ptsz, cuMemcpyDtoDAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyDtoH, 7000, ptds, cuMemcpyDtoH_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyDtoHAsync, 7000, ptsz, cuMemcpyDtoHAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyHtoA, 7000, ptds, cuMemcpyHtoA_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyHtoAAsync, 7000, ptsz, cuMemcpyHtoAAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyHtoD, 7000, ptds, cuMemcpyHtoD_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyHtoDAsync, 7000, ptsz, cuMemcpyHtoDAsync_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemcpyPeer, 7000, ptds, cuMemcpyPeer_ptds)
HEDDLE_PFN_ON_STREAM(cuMemcpyPeerAsync, 7000, ptsz, cuMemcpyPeerAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemsetD16, 7000, ptds, cuMemsetD16_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemsetD16Async, 7000, ptsz, cuMemsetD16Async_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemsetD2D16, 7000, ptds, cuMemsetD2D16_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemsetD2D16Async, 7000, ptsz, cuMemsetD2D16Async_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemsetD2D32, 7000, ptds, cuMemsetD2D32_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemsetD2D32Async, 7000, ptsz, cuMemsetD2D32Async_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemsetD2D8, 7000, ptds, cuMemsetD2D8_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemsetD2D8Async, 7000, ptsz, cuMemsetD2D8Async_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemsetD32, 7000, ptds, cuMemsetD32_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemsetD32Async, 7000, ptsz, cuMemsetD32Async_ptsz)
HEDDLE_PFN_ON_STREAM(cuMemsetD8, 7000, ptds, cuMemsetD8_v2_ptds)
HEDDLE_PFN_ON_STREAM(cuMemsetD8Async, 7000, ptsz, cuMemsetD8Async_ptsz)
HEDDLE_PFN_ON_STREAM(cuSignalExternalSemaphoresAsync, 10000, ptsz, cuSignalExternalSemaphoresAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamAddCallback, 7000, ptsz, cuStreamAddCallback_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamAttachMemAsync, 7000, ptsz, cuStreamAttachMemAsync_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamBatchMemOp, 11070, ptsz, cuStreamBatchMemOp_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamBeginCapture, 10000, ptsz, cuStreamBeginCapture_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamBeginCapture, 10010, ptsz, cuStreamBeginCapture_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamBeginCaptureToGraph, 12030, ptsz, cuStreamBeginCaptureToGraph_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamCopyAttributes, 11000, ptsz, cuStreamCopyAttributes_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamEndCapture, 10000, ptsz, cuStreamEndCapture_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetAttribute, 11000, ptsz, cuStreamGetAttribute_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetCaptureInfo, 10010, ptsz, cuStreamGetCaptureInfo_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetCaptureInfo, 11030, ptsz, cuStreamGetCaptureInfo_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetCaptureInfo, 12030, ptsz, cuStreamGetCaptureInfo_v3_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetCtx, 12050, ptsz, cuStreamGetCtx_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetCtx, 9020, ptsz, cuStreamGetCtx_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetDevice, 12080, ptsz, cuStreamGetDevice_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetFlags, 7000, ptsz, cuStreamGetFlags_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetId, 12000, ptsz, cuStreamGetId_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamGetPriority, 7000, ptsz, cuStreamGetPriority_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamIsCapturing, 10000, ptsz, cuStreamIsCapturing_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamQuery, 7000, ptsz, cuStreamQuery_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamSetAttribute, 11000, ptsz, cuStreamSetAttribute_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamSynchronize, 7000, ptsz, cuStreamSynchronize_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamUpdateCaptureDependencies, 11030, ptsz, cuStreamUpdateCaptureDependencies_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamUpdateCaptureDependencies, 12030, ptsz, cuStreamUpdateCaptureDependencies_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWaitEvent, 7000, ptsz, cuStreamWaitEvent_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWaitValue32, 11070, ptsz, cuStreamWaitValue32_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWaitValue32, 8000, ptsz, cuStreamWaitValue32_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWaitValue64, 11070, ptsz, cuStreamWaitValue64_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWaitValue64, 9000, ptsz, cuStreamWaitValue64_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWriteValue32, 11070, ptsz, cuStreamWriteValue32_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWriteValue32, 8000, ptsz, cuStreamWriteValue32_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWriteValue64, 11070, ptsz, cuStreamWriteValue64_v2_ptsz)
HEDDLE_PFN_ON_STREAM(cuStreamWriteValue64, 9000, ptsz, cuStreamWriteValue64_ptsz)
HEDDLE_PFN_ON_STREAM(cuWaitExternalSemaphoresAsync, 10000, ptsz, cuWaitExternalSemaphoresAsync_ptsz)
#undef HEDDLE_PFN_ON_STREAM

#define PFN_cuArray3DCreate PFN_cuArray3DCreate_v3020
#define PFN_cuArray3DGetDescriptor PFN_cuArray3DGetDescriptor_v3020
#define PFN_cuArrayCreate PFN_cuArrayCreate_v3020
#define PFN_cuArrayDestroy PFN_cuArrayDestroy_v2000
#define PFN_cuArrayGetDescriptor PFN_cuArrayGetDescriptor_v3020
#define PFN_cuArrayGetMemoryRequirements PFN_cuArrayGetMemoryRequirements_v11060
#define PFN_cuArrayGetPlane PFN_cuArrayGetPlane_v11020
#define PFN_cuArrayGetSparseProperties PFN_cuArrayGetSparseProperties_v11010
#define PFN_cuCheckpointProcessCheckpoint PFN_cuCheckpointProcessCheckpoint_v12080
#define PFN_cuCheckpointProcessGetRestoreThreadId PFN_cuCheckpointProcessGetRestoreThreadId_v12080
#define PFN_cuCheckpointProcessGetState PFN_cuCheckpointProcessGetState_v12080
#define PFN_cuCheckpointProcessLock PFN_cuCheckpointProcessLock_v12080
#define PFN_cuCheckpointProcessRestore PFN_cuCheckpointProcessRestore_v12080
#define PFN_cuCheckpointProcessUnlock PFN_cuCheckpointProcessUnlock_v12080
#define PFN_cuCoredumpGetAttribute PFN_cuCoredumpGetAttribute_v12010
#define PFN_cuCoredumpGetAttributeGlobal PFN_cuCoredumpGetAttributeGlobal_v12010
#define PFN_cuCoredumpSetAttribute PFN_cuCoredumpSetAttribute_v12010
#define PFN_cuCoredumpSetAttributeGlobal PFN_cuCoredumpSetAttributeGlobal_v12010
#define PFN_cuCtxAttach PFN_cuCtxAttach_v2000
#define PFN_cuCtxCreate PFN_cuCtxCreate_v3020
#define PFN_cuCtxDestroy PFN_cuCtxDestroy_v4000
#define PFN_cuCtxDetach PFN_cuCtxDetach_v2000
#define PFN_cuCtxDisablePeerAccess PFN_cuCtxDisablePeerAccess_v4000
#define PFN_cuCtxEnablePeerAccess PFN_cuCtxEnablePeerAccess_v4000
#define PFN_cuCtxFromGreenCtx PFN_cuCtxFromGreenCtx_v12040
#define PFN_cuCtxGetApiVersion PFN_cuCtxGetApiVersion_v3020
#define PFN_cuCtxGetCacheConfig PFN_cuCtxGetCacheConfig_v3020
#define PFN_cuCtxGetCurrent PFN_cuCtxGetCurrent_v4000
#define PFN_cuCtxGetDevResource PFN_cuCtxGetDevResource_v12040
#define PFN_cuCtxGetDevice PFN_cuCtxGetDevice_v2000
#define PFN_cuCtxGetExecAffinity PFN_cuCtxGetExecAffinity_v11040
#define PFN_cuCtxGetFlags PFN_cuCtxGetFlags_v7000
#define PFN_cuCtxGetId PFN_cuCtxGetId_v12000
#define PFN_cuCtxGetLimit PFN_cuCtxGetLimit_v3010
#define PFN_cuCtxGetSharedMemConfig PFN_cuCtxGetSharedMemConfig_v4020
#define PFN_cuCtxGetStreamPriorityRange PFN_cuCtxGetStreamPriorityRange_v5050
#define PFN_cuCtxPopCurrent PFN_cuCtxPopCurrent_v4000
#define PFN_cuCtxPushCurrent PFN_cuCtxPushCurrent_v4000
#define PFN_cuCtxRecordEvent PFN_cuCtxRecordEvent_v12050
#define PFN_cuCtxResetPersistingL2Cache PFN_cuCtxResetPersistingL2Cache_v11000
#define PFN_cuCtxSetCacheConfig PFN_cuCtxSetCacheConfig_v3020
#define PFN_cuCtxSetCurrent PFN_cuCtxSetCurrent_v4000
#define PFN_cuCtxSetFlags PFN_cuCtxSetFlags_v12010
#define PFN_cuCtxSetLimit PFN_cuCtxSetLimit_v3010
#define PFN_cuCtxSetSharedMemConfig PFN_cuCtxSetSharedMemConfig_v4020
#define PFN_cuCtxSynchronize PFN_cuCtxSynchronize_v2000
#define PFN_cuCtxWaitEvent PFN_cuCtxWaitEvent_v12050
#define PFN_cuDestroyExternalMemory PFN_cuDestroyExternalMemory_v10000
#define PFN_cuDestroyExternalSemaphore PFN_cuDestroyExternalSemaphore_v10000
#define PFN_cuDevResourceGenerateDesc PFN_cuDevResourceGenerateDesc_v12040
#define PFN_cuDevSmResourceSplitByCount PFN_cuDevSmResourceSplitByCount_v12040
#define PFN_cuDeviceCanAccessPeer PFN_cuDeviceCanAccessPeer_v4000
#define PFN_cuDeviceComputeCapability PFN_cuDeviceComputeCapability_v2000
#define PFN_cuDeviceGet PFN_cuDeviceGet_v2000
#define PFN_cuDeviceGetAttribute PFN_cuDeviceGetAttribute_v2000
#define PFN_cuDeviceGetByPCIBusId PFN_cuDeviceGetByPCIBusId_v4010
#define PFN_cuDeviceGetCount PFN_cuDeviceGetCount_v2000
#define PFN_cuDeviceGetDefaultMemPool PFN_cuDeviceGetDefaultMemPool_v11020
#define PFN_cuDeviceGetDevResource PFN_cuDeviceGetDevResource_v12040
#define PFN_cuDeviceGetExecAffinitySupport PFN_cuDeviceGetExecAffinitySupport_v11040
#define PFN_cuDeviceGetGraphMemAttribute PFN_cuDeviceGetGraphMemAttribute_v11040
#define PFN_cuDeviceGetLuid PFN_cuDeviceGetLuid_v10000
#define PFN_cuDeviceGetMemPool PFN_cuDeviceGetMemPool_v11020
#define PFN_cuDeviceGetName PFN_cuDeviceGetName_v2000
#define PFN_cuDeviceGetNvSciSyncAttributes PFN_cuDeviceGetNvSciSyncAttributes_v10020
#define PFN_cuDeviceGetP2PAttribute PFN_cuDeviceGetP2PAttribute_v8000
#define PFN_cuDeviceGetPCIBusId PFN_cuDeviceGetPCIBusId_v4010
#define PFN_cuDeviceGetProperties PFN_cuDeviceGetProperties_v2000
#define PFN_cuDeviceGetTexture1DLinearMaxWidth PFN_cuDeviceGetTexture1DLinearMaxWidth_v11010
#define PFN_cuDeviceGetUuid PFN_cuDeviceGetUuid_v11040
#define PFN_cuDeviceGraphMemTrim PFN_cuDeviceGraphMemTrim_v11040
#define PFN_cuDevicePrimaryCtxGetState PFN_cuDevicePrimaryCtxGetState_v7000
#define PFN_cuDevicePrimaryCtxRelease PFN_cuDevicePrimaryCtxRelease_v11000
#define PFN_cuDevicePrimaryCtxReset PFN_cuDevicePrimaryCtxReset_v11000
#define PFN_cuDevicePrimaryCtxRetain PFN_cuDevicePrimaryCtxRetain_v7000
#define PFN_cuDevicePrimaryCtxSetFlags PFN_cuDevicePrimaryCtxSetFlags_v11000
#define PFN_cuDeviceRegisterAsyncNotification PFN_cuDeviceRegisterAsyncNotification_v12040
#define PFN_cuDeviceSetGraphMemAttribute PFN_cuDeviceSetGraphMemAttribute_v11040
#define PFN_cuDeviceSetMemPool PFN_cuDeviceSetMemPool_v11020
#define PFN_cuDeviceTotalMem PFN_cuDeviceTotalMem_v3020
#define PFN_cuDeviceUnregisterAsyncNotification PFN_cuDeviceUnregisterAsyncNotification_v12040
#define PFN_cuDriverGetVersion PFN_cuDriverGetVersion_v2020
#define PFN_cuEventCreate PFN_cuEventCreate_v2000
#define PFN_cuEventDestroy PFN_cuEventDestroy_v4000
#define PFN_cuEventElapsedTime PFN_cuEventElapsedTime_v2000
#define PFN_cuEventQuery PFN_cuEventQuery_v2000
#define PFN_cuEventRecord PFN_cuEventRecord_v2000
#define PFN_cuEventRecordWithFlags PFN_cuEventRecordWithFlags_v11010
#define PFN_cuEventSynchronize PFN_cuEventSynchronize_v2000
#define PFN_cuExternalMemoryGetMappedBuffer PFN_cuExternalMemoryGetMappedBuffer_v10000
#define PFN_cuExternalMemoryGetMappedMipmappedArray PFN_cuExternalMemoryGetMappedMipmappedArray_v10000
#define PFN_cuFlushGPUDirectRDMAWrites PFN_cuFlushGPUDirectRDMAWrites_v11030
#define PFN_cuFuncGetAttribute PFN_cuFuncGetAttribute_v2020
#define PFN_cuFuncGetModule PFN_cuFuncGetModule_v11000
#define PFN_cuFuncGetName PFN_cuFuncGetName_v12030
#define PFN_cuFuncGetParamInfo PFN_cuFuncGetParamInfo_v12040
#define PFN_cuFuncIsLoaded PFN_cuFuncIsLoaded_v12040
#define PFN_cuFuncLoad PFN_cuFuncLoad_v12040
#define PFN_cuFuncSetAttribute PFN_cuFuncSetAttribute_v9000
#define PFN_cuFuncSetBlockShape PFN_cuFuncSetBlockShape_v2000
#define PFN_cuFuncSetCacheConfig PFN_cuFuncSetCacheConfig_v3000
#define PFN_cuFuncSetSharedMemConfig PFN_cuFuncSetSharedMemConfig_v4020
#define PFN_cuFuncSetSharedSize PFN_cuFuncSetSharedSize_v2000
#define PFN_cuGetErrorName PFN_cuGetErrorName_v6000
#define PFN_cuGetErrorString PFN_cuGetErrorString_v6000
#define PFN_cuGetExportTable PFN_cuGetExportTable_v3000
#define PFN_cuGetProcAddress PFN_cuGetProcAddress_v12000
#define PFN_cuGraphAddBatchMemOpNode PFN_cuGraphAddBatchMemOpNode_v11070
#define PFN_cuGraphAddChildGraphNode PFN_cuGraphAddChildGraphNode_v10000
#define PFN_cuGraphAddDependencies PFN_cuGraphAddDependencies_v10000
#define PFN_cuGraphAddEmptyNode PFN_cuGraphAddEmptyNode_v10000
#define PFN_cuGraphAddEventRecordNode PFN_cuGraphAddEventRecordNode_v11010
#define PFN_cuGraphAddEventWaitNode PFN_cuGraphAddEventWaitNode_v11010
#define PFN_cuGraphAddExternalSemaphoresSignalNode PFN_cuGraphAddExternalSemaphoresSignalNode_v11020
#define PFN_cuGraphAddExternalSemaphoresWaitNode PFN_cuGraphAddExternalSemaphoresWaitNode_v11020
#define PFN_cuGraphAddHostNode PFN_cuGraphAddHostNode_v10000
#define PFN_cuGraphAddKernelNode PFN_cuGraphAddKernelNode_v12000
#define PFN_cuGraphAddMemAllocNode PFN_cuGraphAddMemAllocNode_v11040
#define PFN_cuGraphAddMemFreeNode PFN_cuGraphAddMemFreeNode_v11040
#define PFN_cuGraphAddMemcpyNode PFN_cuGraphAddMemcpyNode_v10000
#define PFN_cuGraphAddMemsetNode PFN_cuGraphAddMemsetNode_v10000
#define PFN_cuGraphAddNode PFN_cuGraphAddNode_v12020
#define PFN_cuGraphBatchMemOpNodeGetParams PFN_cuGraphBatchMemOpNodeGetParams_v11070
#define PFN_cuGraphBatchMemOpNodeSetParams PFN_cuGraphBatchMemOpNodeSetParams_v11070
#define PFN_cuGraphChildGraphNodeGetGraph PFN_cuGraphChildGraphNodeGetGraph_v10000
#define PFN_cuGraphClone PFN_cuGraphClone_v10000
#define PFN_cuGraphConditionalHandleCreate PFN_cuGraphConditionalHandleCreate_v12030
#define PFN_cuGraphCreate PFN_cuGraphCreate_v10000
#define PFN_cuGraphDebugDotPrint PFN_cuGraphDebugDotPrint_v11030
#define PFN_cuGraphDestroy PFN_cuGraphDestroy_v10000
#define PFN_cuGraphDestroyNode PFN_cuGraphDestroyNode_v10000
#define PFN_cuGraphEventRecordNodeGetEvent PFN_cuGraphEventRecordNodeGetEvent_v11010
#define PFN_cuGraphEventRecordNodeSetEvent PFN_cuGraphEventRecordNodeSetEvent_v11010
#define PFN_cuGraphEventWaitNodeGetEvent PFN_cuGraphEventWaitNodeGetEvent_v11010
#define PFN_cuGraphEventWaitNodeSetEvent PFN_cuGraphEventWaitNodeSetEvent_v11010
#define PFN_cuGraphExecBatchMemOpNodeSetParams PFN_cuGraphExecBatchMemOpNodeSetParams_v11070
#define PFN_cuGraphExecChildGraphNodeSetParams PFN_cuGraphExecChildGraphNodeSetParams_v11010
#define PFN_cuGraphExecDestroy PFN_cuGraphExecDestroy_v10000
#define PFN_cuGraphExecEventRecordNodeSetEvent PFN_cuGraphExecEventRecordNodeSetEvent_v11010
#define PFN_cuGraphExecEventWaitNodeSetEvent PFN_cuGraphExecEventWaitNodeSetEvent_v11010
#define PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams_v11020
#define PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams_v11020
#define PFN_cuGraphExecGetFlags PFN_cuGraphExecGetFlags_v12000
#define PFN_cuGraphExecHostNodeSetParams PFN_cuGraphExecHostNodeSetParams_v10020
#define PFN_cuGraphExecKernelNodeSetParams PFN_cuGraphExecKernelNodeSetParams_v12000
#define PFN_cuGraphExecMemcpyNodeSetParams PFN_cuGraphExecMemcpyNodeSetParams_v10020
#define PFN_cuGraphExecMemsetNodeSetParams PFN_cuGraphExecMemsetNodeSetParams_v10020
#define PFN_cuGraphExecNodeSetParams PFN_cuGraphExecNodeSetParams_v12020
#define PFN_cuGraphExecUpdate PFN_cuGraphExecUpdate_v12000
#define PFN_cuGraphExternalSemaphoresSignalNodeGetParams PFN_cuGraphExternalSemaphoresSignalNodeGetParams_v11020
#define PFN_cuGraphExternalSemaphoresSignalNodeSetParams PFN_cuGraphExternalSemaphoresSignalNodeSetParams_v11020
#define PFN_cuGraphExternalSemaphoresWaitNodeGetParams PFN_cuGraphExternalSemaphoresWaitNodeGetParams_v11020
#define PFN_cuGraphExternalSemaphoresWaitNodeSetParams PFN_cuGraphExternalSemaphoresWaitNodeSetParams_v11020
#define PFN_cuGraphGetEdges PFN_cuGraphGetEdges_v10000
#define PFN_cuGraphGetNodes PFN_cuGraphGetNodes_v10000
#define PFN_cuGraphGetRootNodes PFN_cuGraphGetRootNodes_v10000
#define PFN_cuGraphHostNodeGetParams PFN_cuGraphHostNodeGetParams_v10000
#define PFN_cuGraphHostNodeSetParams PFN_cuGraphHostNodeSetParams_v10000
#define PFN_cuGraphInstantiate PFN_cuGraphInstantiate_v11040
#define PFN_cuGraphInstantiateWithFlags PFN_cuGraphInstantiateWithFlags_v11040
#define PFN_cuGraphInstantiateWithParams PFN_cuGraphInstantiateWithParams_v12000
#define PFN_cuGraphKernelNodeCopyAttributes PFN_cuGraphKernelNodeCopyAttributes_v11000
#define PFN_cuGraphKernelNodeGetAttribute PFN_cuGraphKernelNodeGetAttribute_v11000
#define PFN_cuGraphKernelNodeGetParams PFN_cuGraphKernelNodeGetParams_v12000
#define PFN_cuGraphKernelNodeSetAttribute PFN_cuGraphKernelNodeSetAttribute_v11000
#define PFN_cuGraphKernelNodeSetParams PFN_cuGraphKernelNodeSetParams_v12000
#define PFN_cuGraphLaunch PFN_cuGraphLaunch_v10000
#define PFN_cuGraphMemAllocNodeGetParams PFN_cuGraphMemAllocNodeGetParams_v11040
#define PFN_cuGraphMemFreeNodeGetParams PFN_cuGraphMemFreeNodeGetParams_v11040
#define PFN_cuGraphMemcpyNodeGetParams PFN_cuGraphMemcpyNodeGetParams_v10000
#define PFN_cuGraphMemcpyNodeSetParams PFN_cuGraphMemcpyNodeSetParams_v10000
#define PFN_cuGraphMemsetNodeGetParams PFN_cuGraphMemsetNodeGetParams_v10000
#define PFN_cuGraphMemsetNodeSetParams PFN_cuGraphMemsetNodeSetParams_v10000
#define PFN_cuGraphNodeFindInClone PFN_cuGraphNodeFindInClone_v10000
#define PFN_cuGraphNodeGetDependencies PFN_cuGraphNodeGetDependencies_v10000
#define PFN_cuGraphNodeGetDependentNodes PFN_cuGraphNodeGetDependentNodes_v10000
#define PFN_cuGraphNodeGetEnabled PFN_cuGraphNodeGetEnabled_v11060
#define PFN_cuGraphNodeGetType PFN_cuGraphNodeGetType_v10000
#define PFN_cuGraphNodeSetEnabled PFN_cuGraphNodeSetEnabled_v11060
#define PFN_cuGraphNodeSetParams PFN_cuGraphNodeSetParams_v12020
#define PFN_cuGraphReleaseUserObject PFN_cuGraphReleaseUserObject_v11030
#define PFN_cuGraphRemoveDependencies PFN_cuGraphRemoveDependencies_v10000
#define PFN_cuGraphRetainUserObject PFN_cuGraphRetainUserObject_v11030
#define PFN_cuGraphUpload PFN_cuGraphUpload_v11010
#define PFN_cuGraphicsMapResources PFN_cuGraphicsMapResources_v3000
#define PFN_cuGraphicsResourceGetMappedMipmappedArray PFN_cuGraphicsResourceGetMappedMipmappedArray_v5000
#define PFN_cuGraphicsResourceGetMappedPointer PFN_cuGraphicsResourceGetMappedPointer_v3020
#define PFN_cuGraphicsResourceSetMapFlags PFN_cuGraphicsResourceSetMapFlags_v6050
#define PFN_cuGraphicsSubResourceGetMappedArray PFN_cuGraphicsSubResourceGetMappedArray_v3000
#define PFN_cuGraphicsUnmapResources PFN_cuGraphicsUnmapResources_v3000
#define PFN_cuGraphicsUnregisterResource PFN_cuGraphicsUnregisterResource_v3000
#define PFN_cuGreenCtxCreate PFN_cuGreenCtxCreate_v12040
#define PFN_cuGreenCtxDestroy PFN_cuGreenCtxDestroy_v12040
#define PFN_cuGreenCtxGetDevResource PFN_cuGreenCtxGetDevResource_v12040
#define PFN_cuGreenCtxGetId PFN_cuGreenCtxGetId_v12090
#define PFN_cuGreenCtxRecordEvent PFN_cuGreenCtxRecordEvent_v12040
#define PFN_cuGreenCtxStreamCreate PFN_cuGreenCtxStreamCreate_v12050
#define PFN_cuGreenCtxWaitEvent PFN_cuGreenCtxWaitEvent_v12040
#define PFN_cuImportExternalMemory PFN_cuImportExternalMemory_v10000
#define PFN_cuImportExternalSemaphore PFN_cuImportExternalSemaphore_v10000
#define PFN_cuInit PFN_cuInit_v2000
#define PFN_cuIpcCloseMemHandle PFN_cuIpcCloseMemHandle_v4010
#define PFN_cuIpcGetEventHandle PFN_cuIpcGetEventHandle_v4010
#define PFN_cuIpcGetMemHandle PFN_cuIpcGetMemHandle_v4010
#define PFN_cuIpcOpenEventHandle PFN_cuIpcOpenEventHandle_v4010
#define PFN_cuIpcOpenMemHandle PFN_cuIpcOpenMemHandle_v11000
#define PFN_cuKernelGetAttribute PFN_cuKernelGetAttribute_v12000
#define PFN_cuKernelGetFunction PFN_cuKernelGetFunction_v12000
#define PFN_cuKernelGetLibrary PFN_cuKernelGetLibrary_v12050
#define PFN_cuKernelGetName PFN_cuKernelGetName_v12030
#define PFN_cuKernelGetParamInfo PFN_cuKernelGetParamInfo_v12040
#define PFN_cuKernelSetAttribute PFN_cuKernelSetAttribute_v12000
#define PFN_cuKernelSetCacheConfig PFN_cuKernelSetCacheConfig_v12000
#define PFN_cuLaunch PFN_cuLaunch_v2000
#define PFN_cuLaunchCooperativeKernel PFN_cuLaunchCooperativeKernel_v9000
#define PFN_cuLaunchCooperativeKernelMultiDevice PFN_cuLaunchCooperativeKernelMultiDevice_v9000
#define PFN_cuLaunchGrid PFN_cuLaunchGrid_v2000
#define PFN_cuLaunchGridAsync PFN_cuLaunchGridAsync_v2000
#define PFN_cuLaunchHostFunc PFN_cuLaunchHostFunc_v10000
#define PFN_cuLaunchKernel PFN_cuLaunchKernel_v4000
#define PFN_cuLaunchKernelEx PFN_cuLaunchKernelEx_v11060
#define PFN_cuLibraryEnumerateKernels PFN_cuLibraryEnumerateKernels_v12040
#define PFN_cuLibraryGetGlobal PFN_cuLibraryGetGlobal_v12000
#define PFN_cuLibraryGetKernel PFN_cuLibraryGetKernel_v12000
#define PFN_cuLibraryGetKernelCount PFN_cuLibraryGetKernelCount_v12040
#define PFN_cuLibraryGetManaged PFN_cuLibraryGetManaged_v12000
#define PFN_cuLibraryGetModule PFN_cuLibraryGetModule_v12000
#define PFN_cuLibraryGetUnifiedFunction PFN_cuLibraryGetUnifiedFunction_v12000
#define PFN_cuLibraryLoadData PFN_cuLibraryLoadData_v12000
#define PFN_cuLibraryLoadFromFile PFN_cuLibraryLoadFromFile_v12000
#define PFN_cuLibraryUnload PFN_cuLibraryUnload_v12000
#define PFN_cuLinkAddData PFN_cuLinkAddData_v6050
#define PFN_cuLinkAddFile PFN_cuLinkAddFile_v6050
#define PFN_cuLinkComplete PFN_cuLinkComplete_v5050
#define PFN_cuLinkCreate PFN_cuLinkCreate_v6050
#define PFN_cuLinkDestroy PFN_cuLinkDestroy_v5050
#define PFN_cuLogsCurrent PFN_cuLogsCurrent_v12090
#define PFN_cuLogsDumpToFile PFN_cuLogsDumpToFile_v12090
#define PFN_cuLogsDumpToMemory PFN_cuLogsDumpToMemory_v12090
#define PFN_cuLogsRegisterCallback PFN_cuLogsRegisterCallback_v12090
#define PFN_cuLogsUnregisterCallback PFN_cuLogsUnregisterCallback_v12090
#define PFN_cuMemAddressFree PFN_cuMemAddressFree_v10020
#define PFN_cuMemAddressReserve PFN_cuMemAddressReserve_v10020
#define PFN_cuMemAdvise PFN_cuMemAdvise_v8000
#define PFN_cuMemAlloc PFN_cuMemAlloc_v3020
#define PFN_cuMemAllocAsync PFN_cuMemAllocAsync_v11020
#define PFN_cuMemAllocFromPoolAsync PFN_cuMemAllocFromPoolAsync_v11020
#define PFN_cuMemAllocHost PFN_cuMemAllocHost_v3020
#define PFN_cuMemAllocManaged PFN_cuMemAllocManaged_v6000
#define PFN_cuMemAllocPitch PFN_cuMemAllocPitch_v3020
#define PFN_cuMemBatchDecompressAsync PFN_cuMemBatchDecompressAsync_v12060
#define PFN_cuMemCreate PFN_cuMemCreate_v10020
#define PFN_cuMemExportToShareableHandle PFN_cuMemExportToShareableHandle_v10020
#define PFN_cuMemFree PFN_cuMemFree_v3020
#define PFN_cuMemFreeAsync PFN_cuMemFreeAsync_v11020
#define PFN_cuMemFreeHost PFN_cuMemFreeHost_v2000
#define PFN_cuMemGetAccess PFN_cuMemGetAccess_v10020
#define PFN_cuMemGetAddressRange PFN_cuMemGetAddressRange_v3020
#define PFN_cuMemGetAllocationGranularity PFN_cuMemGetAllocationGranularity_v10020
#define PFN_cuMemGetAllocationPropertiesFromHandle PFN_cuMemGetAllocationPropertiesFromHandle_v10020
#define PFN_cuMemGetHandleForAddressRange PFN_cuMemGetHandleForAddressRange_v11070
#define PFN_cuMemGetInfo PFN_cuMemGetInfo_v3020
#define PFN_cuMemHostAlloc PFN_cuMemHostAlloc_v2020
#define PFN_cuMemHostGetDevicePointer PFN_cuMemHostGetDevicePointer_v3020
#define PFN_cuMemHostGetFlags PFN_cuMemHostGetFlags_v2030
#define PFN_cuMemHostRegister PFN_cuMemHostRegister_v6050
#define PFN_cuMemHostUnregister PFN_cuMemHostUnregister_v4000
#define PFN_cuMemImportFromShareableHandle PFN_cuMemImportFromShareableHandle_v10020
#define PFN_cuMemMap PFN_cuMemMap_v10020
#define PFN_cuMemMapArrayAsync PFN_cuMemMapArrayAsync_v11010
#define PFN_cuMemPoolCreate PFN_cuMemPoolCreate_v11020
#define PFN_cuMemPoolDestroy PFN_cuMemPoolDestroy_v11020
#define PFN_cuMemPoolExportPointer PFN_cuMemPoolExportPointer_v11020
#define PFN_cuMemPoolExportToShareableHandle PFN_cuMemPoolExportToShareableHandle_v11020
#define PFN_cuMemPoolGetAccess PFN_cuMemPoolGetAccess_v11020
#define PFN_cuMemPoolGetAttribute PFN_cuMemPoolGetAttribute_v11020
#define PFN_cuMemPoolImportFromShareableHandle PFN_cuMemPoolImportFromShareableHandle_v11020
#define PFN_cuMemPoolImportPointer PFN_cuMemPoolImportPointer_v11020
#define PFN_cuMemPoolSetAccess PFN_cuMemPoolSetAccess_v11020
#define PFN_cuMemPoolSetAttribute PFN_cuMemPoolSetAttribute_v11020
#define PFN_cuMemPoolTrimTo PFN_cuMemPoolTrimTo_v11020
#define PFN_cuMemPrefetchAsync PFN_cuMemPrefetchAsync_v8000
#define PFN_cuMemRangeGetAttribute PFN_cuMemRangeGetAttribute_v8000
#define PFN_cuMemRangeGetAttributes PFN_cuMemRangeGetAttributes_v8000
#define PFN_cuMemRelease PFN_cuMemRelease_v10020
#define PFN_cuMemRetainAllocationHandle PFN_cuMemRetainAllocationHandle_v11000
#define PFN_cuMemSetAccess PFN_cuMemSetAccess_v10020
#define PFN_cuMemUnmap PFN_cuMemUnmap_v10020
#define PFN_cuMemcpy PFN_cuMemcpy_v4000
#define PFN_cuMemcpy2D PFN_cuMemcpy2D_v3020
#define PFN_cuMemcpy2DAsync PFN_cuMemcpy2DAsync_v3020
#define PFN_cuMemcpy2DUnaligned PFN_cuMemcpy2DUnaligned_v3020
#define PFN_cuMemcpy3D PFN_cuMemcpy3D_v3020
#define PFN_cuMemcpy3DAsync PFN_cuMemcpy3DAsync_v3020
#define PFN_cuMemcpy3DBatchAsync PFN_cuMemcpy3DBatchAsync_v12080
#define PFN_cuMemcpy3DPeer PFN_cuMemcpy3DPeer_v4000
#define PFN_cuMemcpy3DPeerAsync PFN_cuMemcpy3DPeerAsync_v4000
#define PFN_cuMemcpyAsync PFN_cuMemcpyAsync_v4000
#define PFN_cuMemcpyAtoA PFN_cuMemcpyAtoA_v3020
#define PFN_cuMemcpyAtoD PFN_cuMemcpyAtoD_v3020
#define PFN_cuMemcpyAtoH PFN_cuMemcpyAtoH_v3020
#define PFN_cuMemcpyAtoHAsync PFN_cuMemcpyAtoHAsync_v3020
#define PFN_cuMemcpyBatchAsync PFN_cuMemcpyBatchAsync_v12080
#define PFN_cuMemcpyDtoA PFN_cuMemcpyDtoA_v3020
#define PFN_cuMemcpyDtoD PFN_cuMemcpyDtoD_v3020
#define PFN_cuMemcpyDtoDAsync PFN_cuMemcpyDtoDAsync_v3020
#define PFN_cuMemcpyDtoH PFN_cuMemcpyDtoH_v3020
#define PFN_cuMemcpyDtoHAsync PFN_cuMemcpyDtoHAsync_v3020
#define PFN_cuMemcpyHtoA PFN_cuMemcpyHtoA_v3020
#define PFN_cuMemcpyHtoAAsync PFN_cuMemcpyHtoAAsync_v3020
#define PFN_cuMemcpyHtoD PFN_cuMemcpyHtoD_v3020
#define PFN_cuMemcpyHtoDAsync PFN_cuMemcpyHtoDAsync_v3020
#define PFN_cuMemcpyPeer PFN_cuMemcpyPeer_v4000
#define PFN_cuMemcpyPeerAsync PFN_cuMemcpyPeerAsync_v4000
#define PFN_cuMemsetD16 PFN_cuMemsetD16_v3020
#define PFN_cuMemsetD16Async PFN_cuMemsetD16Async_v3020
#define PFN_cuMemsetD2D16 PFN_cuMemsetD2D16_v3020
#define PFN_cuMemsetD2D16Async PFN_cuMemsetD2D16Async_v3020
#define PFN_cuMemsetD2D32 PFN_cuMemsetD2D32_v3020
#define PFN_cuMemsetD2D32Async PFN_cuMemsetD2D32Async_v3020
#define PFN_cuMemsetD2D8 PFN_cuMemsetD2D8_v3020
#define PFN_cuMemsetD2D8Async PFN_cuMemsetD2D8Async_v3020
#define PFN_cuMemsetD32 PFN_cuMemsetD32_v3020
#define PFN_cuMemsetD32Async PFN_cuMemsetD32Async_v3020
#define PFN_cuMemsetD8 PFN_cuMemsetD8_v3020
#define PFN_cuMemsetD8Async PFN_cuMemsetD8Async_v3020
#define PFN_cuMipmappedArrayCreate PFN_cuMipmappedArrayCreate_v5000
#define PFN_cuMipmappedArrayDestroy PFN_cuMipmappedArrayDestroy_v5000
#define PFN_cuMipmappedArrayGetLevel PFN_cuMipmappedArrayGetLevel_v5000
#define PFN_cuMipmappedArrayGetMemoryRequirements PFN_cuMipmappedArrayGetMemoryRequirements_v11060
#define PFN_cuMipmappedArrayGetSparseProperties PFN_cuMipmappedArrayGetSparseProperties_v11010
#define PFN_cuModuleEnumerateFunctions PFN_cuModuleEnumerateFunctions_v12040
#define PFN_cuModuleGetFunction PFN_cuModuleGetFunction_v2000
#define PFN_cuModuleGetFunctionCount PFN_cuModuleGetFunctionCount_v12040
#define PFN_cuModuleGetGlobal PFN_cuModuleGetGlobal_v3020
#define PFN_cuModuleGetLoadingMode PFN_cuModuleGetLoadingMode_v11070
#define PFN_cuModuleGetSurfRef PFN_cuModuleGetSurfRef_v3000
#define PFN_cuModuleGetTexRef PFN_cuModuleGetTexRef_v2000
#define PFN_cuModuleLoad PFN_cuModuleLoad_v2000
#define PFN_cuModuleLoadData PFN_cuModuleLoadData_v2000
#define PFN_cuModuleLoadDataEx PFN_cuModuleLoadDataEx_v2010
#define PFN_cuModuleLoadFatBinary PFN_cuModuleLoadFatBinary_v2000
#define PFN_cuModuleUnload PFN_cuModuleUnload_v2000
#define PFN_cuMulticastAddDevice PFN_cuMulticastAddDevice_v12010
#define PFN_cuMulticastBindAddr PFN_cuMulticastBindAddr_v12010
#define PFN_cuMulticastBindMem PFN_cuMulticastBindMem_v12010
#define PFN_cuMulticastCreate PFN_cuMulticastCreate_v12010
#define PFN_cuMulticastGetGranularity PFN_cuMulticastGetGranularity_v12010
#define PFN_cuMulticastUnbind PFN_cuMulticastUnbind_v12010
#define PFN_cuOccupancyAvailableDynamicSMemPerBlock PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000
#define PFN_cuOccupancyMaxActiveClusters PFN_cuOccupancyMaxActiveClusters_v11070
#define PFN_cuOccupancyMaxPotentialBlockSize PFN_cuOccupancyMaxPotentialBlockSize_v6050
#define PFN_cuOccupancyMaxPotentialBlockSizeWithFlags PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000
#define PFN_cuOccupancyMaxPotentialClusterSize PFN_cuOccupancyMaxPotentialClusterSize_v11070
#define PFN_cuParamSetSize PFN_cuParamSetSize_v2000
#define PFN_cuParamSetTexRef PFN_cuParamSetTexRef_v2000
#define PFN_cuParamSetf PFN_cuParamSetf_v2000
#define PFN_cuParamSeti PFN_cuParamSeti_v2000
#define PFN_cuParamSetv PFN_cuParamSetv_v2000
#define PFN_cuPointerGetAttribute PFN_cuPointerGetAttribute_v4000
#define PFN_cuPointerGetAttributes PFN_cuPointerGetAttributes_v7000
#define PFN_cuPointerSetAttribute PFN_cuPointerSetAttribute_v6000
#define PFN_cuProfilerInitialize PFN_cuProfilerInitialize_v4000
#define PFN_cuProfilerStart PFN_cuProfilerStart_v4000
#define PFN_cuProfilerStop PFN_cuProfilerStop_v4000
#define PFN_cuSignalExternalSemaphoresAsync PFN_cuSignalExternalSemaphoresAsync_v10000
#define PFN_cuStreamAddCallback PFN_cuStreamAddCallback_v5000
#define PFN_cuStreamAttachMemAsync PFN_cuStreamAttachMemAsync_v6000
#define PFN_cuStreamBatchMemOp PFN_cuStreamBatchMemOp_v11070
#define PFN_cuStreamBeginCapture PFN_cuStreamBeginCapture_v10010
#define PFN_cuStreamBeginCaptureToGraph PFN_cuStreamBeginCaptureToGraph_v12030
#define PFN_cuStreamCopyAttributes PFN_cuStreamCopyAttributes_v11000
#define PFN_cuStreamCreate PFN_cuStreamCreate_v2000
#define PFN_cuStreamCreateWithPriority PFN_cuStreamCreateWithPriority_v5050
#define PFN_cuStreamDestroy PFN_cuStreamDestroy_v4000
#define PFN_cuStreamEndCapture PFN_cuStreamEndCapture_v10000
#define PFN_cuStreamGetAttribute PFN_cuStreamGetAttribute_v11000
#define PFN_cuStreamGetCaptureInfo PFN_cuStreamGetCaptureInfo_v11030
#define PFN_cuStreamGetCtx PFN_cuStreamGetCtx_v9020
#define PFN_cuStreamGetDevice PFN_cuStreamGetDevice_v12080
#define PFN_cuStreamGetFlags PFN_cuStreamGetFlags_v5050
#define PFN_cuStreamGetGreenCtx PFN_cuStreamGetGreenCtx_v12040
#define PFN_cuStreamGetId PFN_cuStreamGetId_v12000
#define PFN_cuStreamGetPriority PFN_cuStreamGetPriority_v5050
#define PFN_cuStreamIsCapturing PFN_cuStreamIsCapturing_v10000
#define PFN_cuStreamQuery PFN_cuStreamQuery_v2000
#define PFN_cuStreamSetAttribute PFN_cuStreamSetAttribute_v11000
#define PFN_cuStreamSynchronize PFN_cuStreamSynchronize_v2000
#define PFN_cuStreamUpdateCaptureDependencies PFN_cuStreamUpdateCaptureDependencies_v11030
#define PFN_cuStreamWaitEvent PFN_cuStreamWaitEvent_v3020
#define PFN_cuStreamWaitValue32 PFN_cuStreamWaitValue32_v11070
#define PFN_cuStreamWaitValue64 PFN_cuStreamWaitValue64_v11070
#define PFN_cuStreamWriteValue32 PFN_cuStreamWriteValue32_v11070
#define PFN_cuStreamWriteValue64 PFN_cuStreamWriteValue64_v11070
#define PFN_cuSurfObjectCreate PFN_cuSurfObjectCreate_v5000
#define PFN_cuSurfObjectDestroy PFN_cuSurfObjectDestroy_v5000
#define PFN_cuSurfObjectGetResourceDesc PFN_cuSurfObjectGetResourceDesc_v5000
#define PFN_cuSurfRefGetArray PFN_cuSurfRefGetArray_v3000
#define PFN_cuSurfRefSetArray PFN_cuSurfRefSetArray_v3000
#define PFN_cuTensorMapEncodeIm2col PFN_cuTensorMapEncodeIm2col_v12000
#define PFN_cuTensorMapEncodeIm2colWide PFN_cuTensorMapEncodeIm2colWide_v12080
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000
#define PFN_cuTensorMapReplaceAddress PFN_cuTensorMapReplaceAddress_v12000
#define PFN_cuTexObjectCreate PFN_cuTexObjectCreate_v5000
#define PFN_cuTexObjectDestroy PFN_cuTexObjectDestroy_v5000
#define PFN_cuTexObjectGetResourceDesc PFN_cuTexObjectGetResourceDesc_v5000
#define PFN_cuTexObjectGetResourceViewDesc PFN_cuTexObjectGetResourceViewDesc_v5000
#define PFN_cuTexObjectGetTextureDesc PFN_cuTexObjectGetTextureDesc_v5000
#define PFN_cuTexRefCreate PFN_cuTexRefCreate_v2000
#define PFN_cuTexRefDestroy PFN_cuTexRefDestroy_v2000
#define PFN_cuTexRefGetAddress PFN_cuTexRefGetAddress_v3020
#define PFN_cuTexRefGetAddressMode PFN_cuTexRefGetAddressMode_v2000
#define PFN_cuTexRefGetArray PFN_cuTexRefGetArray_v2000
#define PFN_cuTexRefGetBorderColor PFN_cuTexRefGetBorderColor_v8000
#define PFN_cuTexRefGetFilterMode PFN_cuTexRefGetFilterMode_v2000
#define PFN_cuTexRefGetFlags PFN_cuTexRefGetFlags_v2000
#define PFN_cuTexRefGetFormat PFN_cuTexRefGetFormat_v2000
#define PFN_cuTexRefGetMaxAnisotropy PFN_cuTexRefGetMaxAnisotropy_v5000
#define PFN_cuTexRefGetMipmapFilterMode PFN_cuTexRefGetMipmapFilterMode_v5000
#define PFN_cuTexRefGetMipmapLevelBias PFN_cuTexRefGetMipmapLevelBias_v5000
#define PFN_cuTexRefGetMipmapLevelClamp PFN_cuTexRefGetMipmapLevelClamp_v5000
#define PFN_cuTexRefGetMipmappedArray PFN_cuTexRefGetMipmappedArray_v5000
#define PFN_cuTexRefSetAddress PFN_cuTexRefSetAddress_v3020
#define PFN_cuTexRefSetAddress2D PFN_cuTexRefSetAddress2D_v4010
#define PFN_cuTexRefSetAddressMode PFN_cuTexRefSetAddressMode_v2000
#define PFN_cuTexRefSetArray PFN_cuTexRefSetArray_v2000
#define PFN_cuTexRefSetBorderColor PFN_cuTexRefSetBorderColor_v8000
#define PFN_cuTexRefSetFilterMode PFN_cuTexRefSetFilterMode_v2000
#define PFN_cuTexRefSetFlags PFN_cuTexRefSetFlags_v2000
#define PFN_cuTexRefSetFormat PFN_cuTexRefSetFormat_v2000
#define PFN_cuTexRefSetMaxAnisotropy PFN_cuTexRefSetMaxAnisotropy_v5000
#define PFN_cuTexRefSetMipmapFilterMode PFN_cuTexRefSetMipmapFilterMode_v5000
#define PFN_cuTexRefSetMipmapLevelBias PFN_cuTexRefSetMipmapLevelBias_v5000
#define PFN_cuTexRefSetMipmapLevelClamp PFN_cuTexRefSetMipmapLevelClamp_v5000
#define PFN_cuTexRefSetMipmappedArray PFN_cuTexRefSetMipmappedArray_v5000
#define PFN_cuThreadExchangeStreamCaptureMode PFN_cuThreadExchangeStreamCaptureMode_v10010
#define PFN_cuUserObjectCreate PFN_cuUserObjectCreate_v11030
#define PFN_cuUserObjectRelease PFN_cuUserObjectRelease_v11030
#define PFN_cuUserObjectRetain PFN_cuUserObjectRetain_v11030
#define PFN_cuWaitExternalSemaphoresAsync PFN_cuWaitExternalSemaphoresAsync_v10000

#endif
