# SPDX-License-Identifier: MIT
"""Typesetting programs."""
from inputs import words
from program import program


@program("tex", "a plain TeX page to DVI and PDF",
         "texlive-binaries texlive-base", "tex pdftex initex".replace(
             " initex", ""))
def tex(load):
    load.file("in.tex", "\\hsize=4in\n" + words(1500) +
              "$$\\sum_{i=0}^n i^2={n(n+1)(2n+1)\\over6}$$\n"
              "\\newcount\\n \\loop\\ifnum\\n<300 \\advance\\n by 1 \\number"
              "\\n\\ \\repeat\n\\bye\n")
    load.run("tex", "-interaction=batchmode", "in.tex")
    load.run("pdftex", "-interaction=batchmode", "in.tex",
             env={"FORCE_SOURCE_DATE": "1"})
    load.ignore("in.log", "in.dvi", ".tex*")


@program("groff", "a manual page to text and PostScript", "groff", "groff")
def groff(load):
    load.file("in.1", ".TH CLEW 1\n.SH NAME\nclew\n.SH TEXT\n" +
              words(1500) + ".PP\n.TS\nl l.\na\tb\n.TE\n")
    load.run("groff", "-t", "-man", "-Tutf8", "in.1")
    load.run("groff", "-t", "-man", "-Tps", "in.1",
             # The line %%CreationDate, if groff does not know SOURCE_DATE_EPOCH.
             masks=[(r"(?m)^%%CreationDate.*$", "")])


@program("soffice", "LibreOffice: a text to RTF", "libreoffice-writer-nogui")
def soffice(load):
    load.file("in.txt", words(300))
    load.run("soffice", "--headless", "--convert-to", "rtf", "in.txt",
             masks=[(r"(?m)^Warning: failed to launch javaldx.*\n", "")])
    load.ignore("in.rtf", ".config", ".config/*", ".cache", ".cache/*",
                "lu*", "OSL_PIPE*")  # The file contains the time.
