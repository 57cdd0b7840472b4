#!/bin/sh
# lab.sh FOLDER [ARGUMENT...]: JupyterLab from .venv on the loopback interface.
folder=$1
shift
if [ "$(id -u)" = 0 ]; then
    set -- --allow-root "$@"
fi
exec .venv/bin/jupyter-lab --ServerApp.ip=127.0.0.1 --ServerApp.root_dir="$folder" \
    --MultiKernelManager.default_kernel_name=topos "$@"
