# SPDX-License-Identifier: MIT
"""Code that several end-to-end tests share; clewtest is the place to start."""
