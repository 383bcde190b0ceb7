#!/usr/bin/env bash
# A Slurm of two nodes, n1 and n2, with two pretended GPUs each, on this machine: for tests. As root, on Debian.
# usage: scripts/slurm-cluster.sh up FOLDER      installs what is missing, starts it; its FOLDER/slurm.conf is for $SLURM_CONF
#        scripts/slurm-cluster.sh down FOLDER    ends all that it started, steps of jobs too
# Where it cannot run, `up` says why and ends with status 77.
set -euo pipefail
folder=$(realpath -m "$2")
host=$(hostname -s)
conf=$folder/slurm.conf

cannot() {
  echo "$1"
  exit 77
}

install_packages() {
  local program missing=()
  for program in slurmctld slurmd munged; do
    [ -x "/usr/sbin/$program" ] || missing+=("${program/munged/munge}")
  done
  command -v sbatch >/dev/null || missing+=(slurm-client)
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || cannot "no ${missing[*]}, and no apt-get to install it"
  apt-get update -qq || cannot "no ${missing[*]}, and apt-get update failed"
  # RUNLEVEL: the packages' own services stay off.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$folder/apt.log" 2>&1 ||
    cannot "the packages ${missing[*]} cannot be installed: $(tail -n 1 "$folder/apt.log")"
}

# Authentication that controller, nodes and commands share, on a socket of its own.
start_munge() {
  mkdir -p "$folder/munge"
  head -c 1024 /dev/urandom >"$folder/munge/munge.key"
  chmod 700 "$folder/munge" && chmod 400 "$folder/munge/munge.key" && chown -R munge: "$folder/munge"
  su -s /bin/sh munge -c "/usr/sbin/munged --force --key-file=$folder/munge/munge.key --socket=$folder/munge/socket \
    --pid-file=$folder/munge/munged.pid --log-file=$folder/munge/munged.log --seed-file=$folder/munge/munged.seed"
}

free_ports() {
  node -e '
    const servers = Array.from({ length: 3 }, () => require("net").createServer().listen(0));
    setTimeout(() => (console.log(...servers.map((s) => s.address().port)), servers.forEach((s) => s.close())), 100);'
}

configure() {
  local control first second gpu
  read -r control first second < <(free_ports)
  # They must be devices; these are the null device.
  for gpu in 0 1; do [ -c "$folder/gpu$gpu" ] || mknod "$folder/gpu$gpu" c 1 3; done
  printf 'AutoDetect=off\nNodeName=n[1-2] Name=gpu File=%s/gpu[0-1]\n' "$folder" >"$folder/gres.conf"
  cat >"$conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
SlurmctldPort=$control
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
# Heterogeneous jobs are started by the backfill alone.
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=100000
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
MailProg=/bin/true
InactiveLimit=0
KillWait=5
SlurmdTimeout=10
GresTypes=gpu
NodeName=n1 Gres=gpu:2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$first CPUs=2 RealMemory=4000 State=UNKNOWN
NodeName=n2 Gres=gpu:2 NodeHostname=$host NodeAddr=127.0.0.2 Port=$second CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
EOF
}

up() {
  [ "$(id -u)" -eq 0 ] || cannot "only root can start the nodes"
  mkdir -p "$folder/state" "$folder/spool/n1" "$folder/spool/n2"
  # The user munge enters it.
  chmod 755 "$folder"
  install_packages
  start_munge
  configure
  export SLURM_CONF=$conf
  slurmctld -f "$conf"
  slurmd -f "$conf" -N n1
  slurmd -f "$conf" -N n2
  for _ in $(seq 120); do
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = 2 ] && return
    sleep 0.5
  done
  cat "$folder"/*.log
  echo "the nodes did not come up"
  return 1
}

# Steps outlive the daemons that started them. They, and what they run, have the configuration in their environment.
steps() {
  local process environment
  for process in /proc/[0-9]*; do
    environment=$(tr '\0' '\n' 2>/dev/null <"$process/environ") || continue
    grep -qxF "SLURM_CONF=$conf" <<<"$environment" || continue
    # Not a shell in which somebody looks at it.
    if grep -q '^SLURM_JOB_ID=' <<<"$environment" || grep -qx slurmstepd "$process/comm" 2>/dev/null; then
      basename "$process"
    fi
  done
}

down() {
  local file pid
  for file in "$folder"/slurmctld.pid "$folder"/slurmd.*.pid "$folder"/munge/munged.pid; do
    if [ -s "$file" ]; then kill "$(cat "$file")" 2>/dev/null || true; fi
  done
  for pid in $(steps); do kill -9 "$pid" 2>/dev/null || true; done
}

case ${1:-} in
  up) up ;;
  down) down ;;
  *) echo "usage: $0 up|down FOLDER" && exit 2 ;;
esac
