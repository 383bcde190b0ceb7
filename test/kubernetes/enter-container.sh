# Enters the namespaces' own root folder as a container does, and starts a command there as user 1000.
# Arguments: the host name, an empty folder, mounts (SOURCE:TARGET:ro or :rw), --, the command.
set -eu
hostname "$1"
root=$2
shift 2
mount -t tmpfs -o mode=755 tmpfs "$root"
for folder in dev/shm proc usr etc; do mkdir -p "$root/$folder"; done
for name in bin lib lib64 sbin; do ln -s "usr/$name" "$root/$name"; done
while [ "$1" != -- ]; do
  IFS=: read -r source target mode <<END
$1
END
  mkdir -p "$(dirname "$root$target")"
  if [ -d "$source" ]; then mkdir -p "$root$target"; else touch "$root$target"; fi
  mount --bind "$source" "$root$target"
  [ "$mode" = rw ] || mount -o "remount,bind,ro" "$root$target"
  shift
done
shift
mount -t proc proc "$root/proc"
for device in null zero random urandom; do touch "$root/dev/$device" && mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -o remount,ro "$root"
exec chroot "$root" "$@"
