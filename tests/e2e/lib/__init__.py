# SPDX-License-Identifier: MIT
"""Code that several end-to-end tests share; clewtest.py is the place to
start."""
