#!/usr/bin/env bash
# A Kubernetes API server on this machine without nodes or controllers: it checks and stores objects, and runs nothing. For tests.
# usage: scripts/kube-apiserver.sh build         prints the path of kube-apiserver, compiled first if the cache folder has none
#        scripts/kube-apiserver.sh up FOLDER     starts it with etcd; FOLDER/kubeconfig is for kubectl
#        scripts/kube-apiserver.sh down FOLDER   ends what it started
# Where it cannot run, it says why and ends with status 77.
set -euo pipefail
KUBERNETES=1.34.4
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rolltape/kube-apiserver-$KUBERNETES

cannot() {
  echo "$1" >&2
  exit 77
}

# k8s.io/kubernetes names its staging modules with the version v0.0.0, so `go install k8s.io/kubernetes/…@v` finds none of them:
# replace each of them by its release.
build() {
  [ ! -x "$cache/kube-apiserver" ] || return 0
  command -v go >/dev/null || cannot "no go to compile kube-apiserver"
  local module=$cache/module staging
  mkdir -p "$module"
  printf 'module kube-apiserver\n\ngo 1.24.0\n\nrequire k8s.io/kubernetes v%s\n' "$KUBERNETES" >"$module/go.mod"
  staging=$(cd "$module" && cat "$(go mod download -json "k8s.io/kubernetes@v$KUBERNETES" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')" |
    sed -n 's|^\t\(k8s.io/[^ ]*\) v0.0.0$|\1|p') || cannot "k8s.io/kubernetes cannot be downloaded"
  for name in $staging; do
    printf 'replace %s => %s v0.%s\n' "$name" "$name" "${KUBERNETES#1.}"
  done >>"$module/go.mod"
  # Without optimizations, which the tests do not need and which take most of the time.
  (cd "$module" && CGO_ENABLED=0 go build -mod=mod -gcflags='all=-N -l' -o "$cache/kube-apiserver.new" \
    -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=v$KUBERNETES" k8s.io/kubernetes/cmd/kube-apiserver) >&2
  mv "$cache/kube-apiserver.new" "$cache/kube-apiserver"
}

# The ServiceMonitor is not part of Kubernetes: its definition is in the module of Prometheus Operator.
MONITORS=github.com/prometheus-operator/prometheus-operator@v0.85.0

free_ports() {
  node -e '
const servers = [1, 2, 3].map(() => require("node:net").createServer().listen(0, "127.0.0.1"));
setTimeout(() => { for (const each of servers) { console.log(each.address().port); each.close(); } }, 100);'
}

up() {
  mkdir -p "$folder"
  command -v kubectl >/dev/null || cannot "no kubectl"
  if ! command -v etcd >/dev/null; then
    [ "$(id -u)" -eq 0 ] || cannot "no etcd (Debian's package etcd-server)"
    # RUNLEVEL: the package's own service stays off.
    apt-get update -qq && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends etcd-server \
      >"$folder/apt.log" 2>&1 || cannot "etcd cannot be installed: $(tail -n 1 "$folder/apt.log")"
  fi
  build
  local etcd peer api
  mapfile -t ports < <(free_ports)
  etcd=http://127.0.0.1:${ports[0]} peer=http://127.0.0.1:${ports[1]} api=${ports[2]}
  start etcd etcd --data-dir "$folder/etcd" --listen-client-urls "$etcd" --advertise-client-urls "$etcd" --listen-peer-urls "$peer" \
    --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer"
  openssl genrsa -out "$folder/accounts.key" 2048 2>"$folder/openssl.log"
  local token
  token=$(openssl rand -hex 16)
  echo "$token,admin,admin,system:masters" >"$folder/tokens.csv"
  # No controller makes the ServiceAccounts that pods have.
  start api "$cache/kube-apiserver" --etcd-servers "$etcd" --bind-address 127.0.0.1 --secure-port "$api" --cert-dir "$folder/certificates" \
    --service-account-key-file "$folder/accounts.key" --service-account-signing-key-file "$folder/accounts.key" \
    --service-account-issuer https://kubernetes.default.svc --service-cluster-ip-range 10.96.0.0/16 \
    --token-auth-file "$folder/tokens.csv" --authorization-mode RBAC --disable-admission-plugins ServiceAccount
  export KUBECONFIG=$folder/kubeconfig
  kubectl config set-cluster test --server "https://127.0.0.1:$api" --insecure-skip-tls-verify >"$folder/kubectl.log"
  kubectl config set-credentials admin --token "$token" >>"$folder/kubectl.log"
  kubectl config set-context test --cluster test --user admin >>"$folder/kubectl.log"
  kubectl config use-context test >>"$folder/kubectl.log"
  until kubectl get --raw /readyz >>"$folder/kubectl.log" 2>&1; do
    kill -0 "$(cat "$folder/api.pid")" || { tail -n 5 "$folder/api.log" >&2; exit 1; }
    sleep 0.5
  done
  local monitors
  monitors=$(cd "$cache" && go mod download -json "$MONITORS" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') || cannot "$MONITORS cannot be downloaded"
  kubectl create -f "$monitors/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml" >>"$folder/kubectl.log"
  kubectl wait --for=condition=Established crd/servicemonitors.monitoring.coreos.com --timeout=60s >>"$folder/kubectl.log"
}

# start NAME COMMAND…: starts a program that `down` ends.
start() {
  local name=$1
  shift
  setsid "$@" >"$folder/$name.log" 2>&1 </dev/null &
  echo $! >"$folder/$name.pid"
}

down() {
  local name
  for name in api etcd; do
    [ ! -f "$folder/$name.pid" ] || kill "$(cat "$folder/$name.pid")" || true
  done
}

folder=${2:+$(realpath -m "$2")}
case $1 in
  build) build && echo "$cache/kube-apiserver" ;;
  up) up ;;
  down) down ;;
esac
