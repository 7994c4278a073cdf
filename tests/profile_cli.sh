#!/bin/sh
# `heddle profile`: flags, messages, exit status, and one real launch. usage: profile_cli.sh HEDDLE
heddle=$1
truth=$(dirname "$0")/truth
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS PATTERN ARGS...: exit status and a pattern in stderr
expect() {
    status=$1 pattern=$2
    shift 2
    "$heddle" profile "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got != "$status" ] || ! grep -q -e "$pattern" "$dir/err"; then
        echo "FAILED: heddle profile $*: status $got, wanted $status and '$pattern'; stderr:"
        cat "$dir/err"
        failed=1
    fi
}

printf '#!/bin/sh\ncat\necho out; echo err >&2; exit 3\n' >"$dir/three"
printf '#!/bin/sh\nkill -9 $$\n' >"$dir/killed"
printf 'not a program\n' >"$dir/text"
chmod +x "$dir/three" "$dir/killed"

expect 1 "no program" --csv
expect 1 "unknown flag '--devise'; did you mean '--device'?" --devise h200 "$dir/three"
expect 1 "unknown metric 'gld_eficiency'; did you mean 'gld_efficiency'?" --metrics gld_eficiency "$dir/three"
expect 1 "no device description 'h201'; did you mean 'h20' or 'h200'?" --device h201 "$dir/three"
expect 1 "flag '--page': 'sauce' is not details|raw|source" --page sauce "$dir/three"
expect 1 "flag '-c' needs a value" -c
expect 1 "'--without': there is no mechanism 'queu' of the model" --without tags,queu "$dir/three"
expect 1 "'--without' needs the program to run" --without tags -i "$dir/nothing"
"$heddle" profile --without help | grep -q '^queue  *an access is issued when the queue' || { echo "FAILED: --without help"; failed=1; }
expect 1 "is not a number from 0" --launch-skip=x "$dir/three"
expect 1 "cannot find" "$dir/nothing"
expect 1 "neither a .cu file nor executable" "$dir/text"
expect 1 "was not built by Heddle" /bin/ls
expect 1 "is not a regular expression" -k 'regex:[' "$dir/three"
expect 137 "No kernels were profiled" "$dir/killed"
expect 3 "No kernels were profiled" "$dir/three" </dev/null
[ "$(cat "$dir/out")" = out ] || { echo "FAILED: stdout of the program was changed"; failed=1; }
[ "$(echo hello | "$heddle" profile --log-file "$dir/log" "$dir/three" 2>/dev/null | head -1)" = hello ] ||
    { echo "FAILED: stdin of the program was changed"; failed=1; }
grep -q "No kernels were profiled" "$dir/log" || { echo "FAILED: --log-file"; failed=1; }
expect 3 "cannot write the report" --log-file /nowhere/at/all "$dir/three" </dev/null

# One launch of copy_offset, 32768 warps that read 4 bytes off: 5 sectors each (H200: 163840).
out=$("$heddle" profile --csv --page raw --print-units base --log-file "$dir/log" -c 1 \
    --metrics sm__ctas_launched.sum,gld_transactions,dram__bytes_read.sum \
    --device-ptx "$truth/ptx/copy_offset.nvcc.ptx" "$truth/copy_offset.cu" rd,offset=1) ||
    { echo "FAILED: copy_offset: status $?"; failed=1; }
[ "$out" = "LAUNCH 0 0 rd,offset=1
PASSED" ] || { echo "FAILED: stdout of copy_offset: $out"; failed=1; }
grep -q '^"0",.*"copy_offset_rd(const float \*, float \*, int, int)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","4096","163840","[0-9]*"$' \
    "$dir/log" || { echo "FAILED: CSV of copy_offset:"; cat "$dir/log"; failed=1; }
"$heddle" profile --log-file "$dir/log" -k regex:nothing "$truth/copy_offset.cu" wr,offset=1 >/dev/null
grep -q "No kernel launch matches" "$dir/log" || { echo "FAILED: filter by kernel"; failed=1; }

# What was not collected is not shown as nothing: n/a, and sections and pages by name.
"$heddle" profile --log-file "$dir/log" -o "$dir/some" --metrics gld_transactions "$truth/copy_offset.cu" rd,offset=1 >/dev/null
expect 0 "Not collected when this launch was profiled: .*InstructionStats, SourceCounters" -i "$dir/some"
grep -q "Section: Instruction Statistics" "$dir/err" && { echo "FAILED: a section without figures"; failed=1; }
expect 0 " gst_transactions  *n/a" -i "$dir/some" --metrics gld_transactions,gst_transactions
expect 0 "Not collected when this launch was profiled" -i "$dir/some" --page source
expect 1 "'--roofline': the report has only some figures" -i "$dir/some" --roofline "$dir/some.svg"

# --- the profiler's front, over kept results: gather (4096, 1, 1)x(256, 1, 1) and tr_shared, see tests/unit/report.c ---

data=$(dirname "$0")/data/results.jsonl
has() { grep -q -e "$1" "$dir/err" || { echo "FAILED: no '$1' in:"; cat "$dir/err"; failed=1; }; }
hasnt() { ! grep -q -e "$1" "$dir/err" || { echo "FAILED: '$1' in:"; cat "$dir/err"; failed=1; }; }

expect 0 "^  gather(const float \*, float \*, int, int) (4096, 1, 1)x(256, 1, 1)" -i "$data"
has "Section: Source Lines"
hasnt "==PROF=="
expect 1 "nothing" -i "$dir/nothing"
expect 1 "it runs no program" -i "$data" "$dir/three"
printf '{"heddle_result": 99}\n' >"$dir/future"
expect 1 "future" --import "$dir/future"

# A picture: of the launches that were chosen, XML, with the names and the roofs as texts.
expect 0 "Section: GPU Speed Of Light Roofline Chart" -i "$data" --roofline "$dir/roof.svg"
python3 - "$dir/roof.svg" <<'END' || failed=1
import sys, xml.dom.minidom
texts = [t.firstChild.data for t in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("text")]
for wanted in ("single precision: 66,908", "L1, shared memory: 33,454 GB/s", "DRAM: 4,814 GB/s"):
    if wanted not in texts:
        sys.exit(f"FAILED: no '{wanted}' in the roofline: {texts}")
if not any(t.startswith("gather (4096, 1, 1)x(256, 1, 1): no floating-point operations; bound by L1") for t in texts):
    sys.exit(f"FAILED: gather is not in the roofline: {texts}")
END
expect 1 "cannot write the report to '/nowhere/roof.svg'" -i "$data" --roofline /nowhere/roof.svg
expect 0 "No kernel launch matches" -i "$data" -k nothing --roofline "$dir/none.svg"
[ ! -e "$dir/none.svg" ] || { echo "FAILED: a roofline of no launch"; failed=1; }
sed 's/"device_id":"h200"/"device_id":"a100"/;q' "$data" | cat - "$data" >"$dir/two"
expect 1 "a roofline is of one device: these launches are of 'a100' and 'h200'" -i "$dir/two" --roofline "$dir/two.svg"

expect 0 "Section: Launch Statistics" -i "$data" --set basic
has "Section: Occupancy"
hasnt "Section: Memory"
hasnt "Section: Source"
expect 0 "Section: Memory Workload Analysis Tables" -i "$data" --set detailed
hasnt "Section: Instruction Statistics"
expect 0 "Section: Instruction Statistics" -i "$data" --set full
has "Section: Instruction Mix"
expect 0 '"Instruction Mix","LSU Share","%","40"' -i "$data" --csv --page details --section InstructionStats
expect 0 "Section: GPU Speed Of Light Hierarchical Roofline Chart (Single Precision)" -i "$data" --set roofline
has "Section: GPU Speed Of Light Roofline Chart"
hasnt "Section: Launch Statistics"
expect 1 "unknown set 'default': there are basic, detailed, full and roofline" -i "$data" --set default
# Hints belong to a section and come with it only.
expect 0 "LaunchConfiguration" -i "$data" --section LaunchStats
expect 0 "Section: Occupancy" -i "$data" --section Occupancy
hasnt "LaunchConfiguration"
expect 0 "Section: Occupancy" -i "$data" --section Occupancy --section InstructionStats
has "Section: Instruction Statistics"
has "^    FMA  *16,384  *10.0% modelled  *f32 and integer products"
hasnt "Section: Launch"
expect 0 "section 'PmSampling' (.*) is not there yet" -i "$data" --section PmSampling --section Occupancy
# Time: of the launch for which it was collected.
expect 0 "Takes 12.5 us: bound by latency, with DRAM busiest at 53.2% of the peak; in 89% of their cycles warps wait for global" -i "$data" -k copy --section SpeedOfLight
has "Use of peaks: DRAM 53.2%, L2 29.5%, L1 11.3%"
hasnt "Section: Warp State"
expect 0 "Stall Long Scoreboard *575.05 *89.4% modelled" -i "$data" -k copy --section WarpStateStats
has "CPIStall: of 643.2 cycles between two instructions of a warp 575.0 (89%)"
hasnt "Takes 12.5 us"
expect 0 "Not collected when this launch was profiled: SpeedOfLight" -i "$data" -k gather --section SpeedOfLight
expect 0 "Stalled  Mostly  *Source" -i "$data" -k copy --page source
has "99.6%  Long Scoreboard"
expect 0 "Conflicts Traffic  Source" -i "$data" -k gather --page source
expect 1 "unknown section 'Ocupancy'; did you mean 'Occupancy'?" -i "$data" --section Ocupancy
expect 0 "Section: Memory" -i "$data" --section 'regex:^Memory'
expect 1 "no section matches 'xyz'" -i "$data" --section regex:xyz
"$heddle" profile --list-sets | grep -q "^basic .*SpeedOfLight, LaunchStats, Occupancy, WorkloadDistribution\*" || { echo "FAILED: --list-sets"; failed=1; }
"$heddle" profile --list-sections | grep -q "^PmSampling .*not there yet" || { echo "FAILED: --list-sections"; failed=1; }
"$heddle" profile --query-metrics | grep -q "^lts__t_requests.sum .*not computed yet" || { echo "FAILED: --query-metrics"; failed=1; }

expect 0 "launch__grid_size .* 4096 " -i "$data" --page raw -c 1
expect 0 "launch__block_size" -i "$data" --page raw --metrics 'gld_transactions,regex:^launch__b.*size$'
hasnt "launch__grid_size"
expect 1 "no metric matches 'xyz'" -i "$data" --metrics regex:xyz
expect 1 "'\[' is not a regular expression" -i "$data" --metrics 'regex:['
expect 0 "global_op_ld.sum  *Mbyte  *33.55 " -i "$data" -c 1 --page raw --print-units auto --metrics l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum
expect 1 "flag '--print-units': 'si' is not base|auto" -i "$data" --print-units si

expect 0 "gather" -i "$data" -k gather
hasnt "tr_shared"
expect 0 "tr_shared" -i "$data" --kernel-name-base demangled -k 'regex:tr_shared.*float \*'
hasnt "gather"
expect 0 "No kernel launch matches" -i "$data" --kernel-name-base mangled -k gather
expect 0 "gather" -i "$data" --kernel-id :7:gather:1
expect 0 "gather" -i "$data" --kernel-id 1::regex:gath:
expect 0 "No kernel launch matches" -i "$data" --kernel-id ::gather:2
expect 1 "is not context:stream:name:invocation" -i "$data" --kernel-id 7:gather
expect 1 "is not context:stream:name:invocation with numbers" -i "$data" --kernel-id a:7:gather:1
expect 0 "tr_shared" -i "$data" --launch-skip-before-match 1
hasnt "gather"

cat "$data" "$data" >"$dir/twice"
expect 0 "CC 9.0, Invocations 2" -i "$dir/twice" --print-summary per-kernel --metrics gld_transactions
[ "$(grep -c Invocations "$dir/err")" = 3 ] || { echo "FAILED: groups of the summary"; cat "$dir/err"; failed=1; }
has "gld_transactions .* 1048576.00 *1048576.00 *1048576.00"
expect 0 "Device 0, CC 9.0, Invocations 2" -i "$dir/twice" --print-summary per-gpu --metrics gld_transactions

expect 0 '^    Theoretical Occupancy  .* 100.00 *100.00 *100.00' -i "$dir/twice" --print-summary per-kernel --section Occupancy
hasnt "launch__grid_size"
expect 0 '^"4711","golden","127.0.0.1","gather.*","(256, 1, 1)","(4096, 1, 1)","0","9.0","2","Command line profiler metrics","gld_transactions","","1048576.00","1048576.00","1048576.00"$' -i "$dir/twice" --print-summary per-kernel --csv --metrics gld_transactions
expect 0 "==PROF== Report: $dir/kept" -i "$data" -k gather -o "$dir/kept"
hasnt "Section:"
[ "$(wc -l <"$dir/kept")" = 1 ] || { echo "FAILED: --export"; failed=1; }
expect 1 "'$dir/kept' is there already; -f writes over it" -i "$data" -o "$dir/kept"
expect 0 "Section: Occupancy" -i "$data" -f -o "$dir/kept" --page details
expect 0 "tr_shared" -i "$dir/kept"
expect 1 "cannot write the report" -i "$data" -o /nowhere/at/all

expect 1 "flag '--launch' could be '--launch-skip' or '--launch-skip-before-match'" -i "$data" --launch 1
expect 0 "Section: Occupancy" --imp "$data" --sec=Occupancy
expect 1 "flag '--csv' takes no value" -i "$data" --csv=1
expect 0 '^"#","File","Source","# Instructions Executed"' -i "$data" --csv --page source
expect 0 '^"#","Address","Source","# Instructions Executed"' -i "$data" --csv --page source --print-source sass
expect 0 '^"0",.*,"Launch Statistics","Grid Size","","4096",' -i "$data" --csv --page details
expect 0 '^"0",.*,"Command line profiler metrics","launch__grid_size","","4096"$' -i "$data" --csv --page details --metrics launch__grid_size
expect 0 '"LaunchConfiguration","OPT","' -i "$data" --csv --page details --section LaunchStats
expect 0 "dram__bytes_write.sum" -i "$data" --page raw --metrics dram__bytes_write
expect 1 "'--nvtx-include': 'a\*' has ranges\\|there are ranges A/ and A/B/" --nvtx-include 'a*' "$dir/three"
expect 3 "'--call-stack' has no effect here: reports do not show" --call-stack "$dir/three"

# --page source over a small program: every line, figures at those that ran; no colour but on a terminal.
expect 0 "^ *Line  *Passes  *Lanes Divergent Instructions" -o "$dir/pairs" --page source "$(dirname "$0")/stages/lines.cu"
cp "$dir/err" "$dir/page"
has "^ *1  *// Lines with known figures"
has "^ *7  *4  *32.0  *[0-9]*  *2.00  *5.3%  *float x = in" # a predicated load, 16 of 32 lanes: 2 sectors, 4 warps; 8 of 152 sectors
has "^ *8 .* 32.00  *84.2%  .*Long Scoreboard  *float y" # 32 bytes apart: a sector a lane
has "^ *10  *4  *32.0  *4  *[0-9]*  *if (i % 32 < 16)" # every warp divides, as written
has "^ *GPU  *[0-9.]*  *0  *^ predicates, no branch" # and none does in machine code
has "^ *GPU  *32.0  *^ under predicates: 16.0 of 32.0 lanes on"
has "^ *11  *4  *32.0  .* 4  *[0-9.]*%  Math Pipe Throttle  *s\\[4 \\* (i % 32)\\] = x" # 16 lanes, 4 words apart, on 8 banks: one wavefront too many a warp
! grep -q "$(printf '\033')" "$dir/err" || { echo "FAILED: colour without a terminal"; failed=1; }
# The same launch's machine code: the counts of its instructions are those of the launch, in the file that was kept, too.
expect 0 "the report has no machine code of 'lines" -i "$dir/pairs" --page source --print-source sass
hasnt "Predicated On"
expect 0 "^ *Executed  *Threads  *Predicated On" -o "$dir/coded" --page source --print-source sass "$(dirname "$0")/stages/lines.cu"
has "^ *4  *128  *64  .*@!P[0-9]* STS" # all 4 warps come to it, and 16 lanes of each are on
hasnt "Passes"
expect 0 '^"#","Address","Source","# Instructions Executed","# Thread Instructions Executed","# Predicated-On' -i "$dir/coded" --csv --page source --print-source sass
all=$(sed -n 's/^"[0-9]*","0x[0-9a-f]*",".*","\([0-9]*\)","[0-9]*","[0-9]*",".*","[0-9]*"$/\1/p' "$dir/err" | awk '{ n += $1 } END { print n }')
expect 0 "inst_executed  *inst  *$all  modelled" -i "$dir/coded" --page raw --metrics inst_executed
expect 0 "Passes" -i "$dir/coded" --page source --print-source cuda,sass
has "^ *Executed  *Threads  *Predicated On"
# Mechanisms of the model that are off are named first, and kept: a launch without what comes before and behind its blocks is that much shorter.
expect 0 "sm__cycles_elapsed.max  *cycle  *[0-9,]*" --metrics sm__cycles_elapsed.max "$(dirname "$0")/stages/lines.cu"
whole=$(sed -n 's/^ *sm__cycles_elapsed.max  *cycle  *\([0-9,]*\) .*/\1/p' "$dir/err" | tr -d ,)
expect 0 "^==WARNING== Modelled without refresh,launch" --without launch,refresh --metrics sm__cycles_elapsed.max "$(dirname "$0")/stages/lines.cu"
less=$(sed -n 's/^ *sm__cycles_elapsed.max  *cycle  *\([0-9,]*\) .*/\1/p' "$dir/err" | tr -d ,)
[ "$less" -gt 0 ] && [ "$less" -le $((whole - 3000)) ] || { echo "FAILED: $whole cycles, $less without launch"; failed=1; }
expect 0 "Modelled without drain" -o "$dir/without" --page raw --without drain "$(dirname "$0")/stages/lines.cu"
expect 0 "^==WARNING== Modelled without drain" -i "$dir/without"
if script -qec 'test -t 2' /dev/null </dev/null >/dev/null 2>&1; then # a terminal can be had: not so without /dev/pts
    script -qec "'$heddle' profile -i '$dir/pairs' --page source" /dev/null </dev/null >"$dir/err" 2>&1
    grep -q "$(printf '\033')\[1;31m" "$dir/err" || { echo "FAILED: no colour on a terminal"; failed=1; }
fi
exit $failed
