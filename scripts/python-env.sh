#!/bin/sh
# Makes a virtual environment with all packages that the Python tests can use, from PyPI, and prints its interpreter.
# usage: PYTHON=$(scripts/python-env.sh) scripts/test-python.sh
# It is kept in the user's cache folder, by version of Python and list of packages.
set -eu
# The oldest version of TRL that is supported. `npm run test:trainers -- trl` has the newest one.
packages="torch transformers safetensors trl==1.13.* accelerate aiohttp requests datasets gguf httpx numpy pytest
setuptools wheel build mypy ruff openai nbclient ipykernel tensorboard trackio wandb"

python=${BASE_PYTHON:-/usr/bin/python3}
name=$({ "$python" --version && echo "$packages"; } | cksum | cut -d ' ' -f 1)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/rolltape/python-$name
if [ ! -f "$folder/complete" ]; then
  rm -rf "$folder"
  "$python" -m venv "$folder" >&2
  # uv installs PyTorch in seconds where pip takes minutes.
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check uv >&2
  # shellcheck disable=SC2086
  "$folder/bin/uv" pip install --quiet --python "$folder/bin/python" $packages >&2
  touch "$folder/complete"
fi
echo "$folder/bin/python"
