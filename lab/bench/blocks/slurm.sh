#!/bin/bash
# Tries examples/cluster/array.sbatch with a Slurm of two nodes on this host: one task is killed, requeued, and the merged bytes are those of sipc embed.
# As root, where slurm-wlm and munge are installed: lab/bench/blocks/slurm.sh MODEL DATA, with sipc on the PATH.
set -euo pipefail
model=$(realpath "$1") data=$(realpath "$2") script=$(realpath "$(dirname "$0")/../../../examples/cluster/array.sbatch")
dir=$(mktemp -d /tmp/sipc-slurm-XXXXXX)
export SLURM_CONF=$dir/slurm.conf
host=$(hostname -s)
cat >"$SLURM_CONF" <<CONF
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/%n.log
SlurmctldPort=6917
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=6918 CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=6919 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES State=UP
CONF
mkdir "$dir/state" "$dir/run" && chmod 755 "$dir" "$dir/run"
dd if=/dev/urandom of="$dir/key" bs=1024 count=1 status=none && chmod 400 "$dir/key"
started=()
stop() { kill "${started[@]}" 2>/dev/null || true; }
trap stop EXIT
munged --foreground --force --key-file="$dir/key" --socket="$dir/munge.socket" --pid-file="$dir/munge.pid" --log-file="$dir/munge.log" --seed-file="$dir/seed" & started+=($!)
sleep 1
slurmctld -D & started+=($!)
for n in n1 n2; do slurmd -D -N $n & started+=($!); done
for _ in $(seq 30); do [ "$(sinfo -h -t idle -o %D)" = 2 ] && break; sleep 1; done
sinfo

cd "$dir"
sipc embed "$model" "$data" --out plain.npy
n=$(sipc plan "$model" "$data" --folder work --rows 256)
job=$(sbatch --parsable --array=0-$((n - 1)) "$script" "$dir/work")
for _ in $(seq 100); do victim=$(pgrep -f "^sipc block $dir/work" | head -1) && break; sleep 0.1; done
task=$(tr '\0' '\n' <"/proc/$victim/environ" | sed -n 's/^SLURM_ARRAY_TASK_ID=//p')
kill -9 "$victim" && echo "killed task $task"
sipc merge work --out merged.npy --wait 10m
cmp plain.npy merged.npy && echo "the same bytes by $n tasks"
grep -H . "slurm-${job}_$task.out" || true
