#!/bin/sh
# Removes proxies without cutting an episode: scale-in.sh REPLICAS [NAMESPACE]
# The proxies with the highest numbers start no new sessions. When they have none left, their pods are removed. Ctrl-C ends the wait, and
# they start sessions again.
set -eu
replicas=$1 namespace=${2:-rolltape}

# post POD PATH: calls the proxy of a pod, and prints how many sessions it still has.
post() {
  kubectl --namespace "$namespace" exec "$1" --container proxy -- node --eval '
    const headers = { authorization: "Bearer " + process.env.ROLLTAPE_ADMIN_API_KEY, "content-type": "application/json" };
    fetch("http://127.0.0.1:8090/rl/" + process.argv[1], { method: "POST", headers, body: "{}" }).then(async (answer) => {
      if (!answer.ok) throw new Error(await answer.text());
      console.log((await answer.json()).sessions);
    });' "$2"
}

count=$(kubectl --namespace "$namespace" get statefulset proxy --output 'jsonpath={.spec.replicas}')
[ "$replicas" -lt "$count" ] || { echo "there are $count proxies, so $replicas would not be fewer" >&2; exit 2; }
leaving=$(seq "$replicas" $((count - 1)))

uncordon() {
  for index in $leaving; do post "proxy-$index" uncordon >&2 || true; done
  exit 1
}
trap uncordon INT TERM

for index in $leaving; do post "proxy-$index" cordon >/dev/null; done
for index in $leaving; do
  # The call is repeated, because a container that is started again has no cordon.
  until sessions=$(post "proxy-$index" cordon) && [ "$sessions" = 0 ]; do
    echo "proxy-$index has ${sessions:-?} sessions" >&2
    sleep 5
  done
done
trap - INT TERM
kubectl --namespace "$namespace" scale statefulset proxy --replicas="$replicas"
