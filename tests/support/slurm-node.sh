#!/bin/sh
# A Slurm cluster of one node, for the tests of replays on a cluster.
#
#   slurm-node.sh start DIR   starts it, prints the path of its configuration (for SLURM_CONF)
#   slurm-node.sh stop DIR    cancels its jobs and ends its daemons
#
# Needs root, munge and slurm-wlm. All of its files are in DIR, and the system's own Slurm is not touched.
set -eu
command=$1
dir=$2
PATH=/usr/sbin:/usr/bin:/sbin:/bin

# Ends the daemon whose process id is in a file, and waits until it is gone.
end() {
    [ -s "$1" ] || return 0
    pid=$(cat "$1")
    kill "$pid" 2>/dev/null || return 0
    for _ in $(seq 200); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.02
    done
    kill -9 "$pid" 2>/dev/null || true
}

case $command in
start)
    host=$(hostname -s)
    mkdir -p "$dir/state" "$dir/spool"
    mkdir -m 0700 "$dir/munge"
    head -c 128 /dev/urandom >"$dir/munge/key"
    chmod 0400 "$dir/munge/key"
    # The folders above may be writable for others, as /tmp is; --force makes that a warning.
    munged --force --key-file="$dir/munge/key" --seed-file="$dir/munge/seed" --socket="$dir/munge.socket" \
        --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" 2>/dev/null
    free_port() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'; }
    cat >"$dir/slurm.conf" <<END
ClusterName=relight
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
SlurmUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# Nothing waits for a timer: jobs are started as soon as there is room.
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    SLURM_CONF=$dir/slurm.conf
    export SLURM_CONF
    slurmctld -c
    slurmd -c
    for _ in $(seq 500); do
        case $(sinfo --noheader --format=%t 2>/dev/null) in
        idle) echo "$SLURM_CONF" && exit 0 ;;
        esac
        sleep 0.02
    done
    tail -n 5 "$dir"/*.log >&2
    exit 1
    ;;
stop)
    SLURM_CONF=$dir/slurm.conf
    export SLURM_CONF
    scancel --user=root 2>/dev/null || true
    for name in slurmd slurmctld munged; do end "$dir/$name.pid"; done
    ;;
esac
