# SPDX-License-Identifier: MIT
"""Pictures, films and sound."""
from inputs import picture, sound
from program import program


@program("ffmpeg", "encodes and decodes film and sound, threaded", "ffmpeg")
def ffmpeg(load):
    exact = ["-hide_banner", "-loglevel", "error", "-nostdin"]
    # -bitexact omits versions; framemd5 prints the checksum of each decoded frame.
    load.run("ffmpeg", *exact, "-f", "lavfi", "-i",
             "testsrc=size=160x120:rate=10:duration=2", "-f", "lavfi", "-i",
             "sine=frequency=440:duration=2", "-c:v", "mpeg4", "-threads",
             "4", "-c:a", "aac", "-bitexact", "film.mp4")
    load.run("ffmpeg", *exact, "-threads", "4", "-i", "film.mp4", "-vf",
             "scale=80:60,hflip", "-f", "framemd5", "-")
    load.run("ffmpeg", *exact, "-i", "nosuch", "-f", "null", "-", status=1)


@program("convert", "ImageMagick: scales, blurs, draws, encodes",
         "imagemagick", "convert identify")
def convert(load):
    load.file("in.ppm", picture())
    load.run("convert", "in.ppm", "-resize", "50%", "-blur", "0x2", "-rotate",
             "30", "-strip", "-define", "png:exclude-chunks=date,time",
             "out.png")
    load.run("convert", "in.ppm", "-quality", "80", "-strip", "out.jpg")
    load.run("convert", "-size", "100x100", "plasma:red-blue", "-seed", "1",
             "-fill", "none", "-stroke", "black", "-draw",
             "circle 50,50 20,20", "-compress", "none", "-depth", "8",
             "-colors", "2", "info:", masks=[(r"[\d.]+u [\d:.]+", "TIMES"),
                                             (r"\d+B", "BYTES")])
    load.run("identify", "-format", "%m %w %h %#\\n", "out.png", "out.jpg")


@program("gm", "GraphicsMagick: scales, sharpens, compares",
         "graphicsmagick")
def graphicsmagick(load):
    load.file("in.ppm", picture())
    load.run("gm", "convert", "in.ppm", "-resize", "60x60!", "-sharpen",
             "0x1", "-type", "grayscale", "out.pgm")
    load.run("gm", "convert", "in.ppm", "-quality", "70", "out.jpg")
    load.run("gm", "compare", "-metric", "mse", "in.ppm", "out.jpg")


@program("rsvg-convert", "Rust: draws a scalable picture",
         "librsvg2-bin")
def rsvg(load):
    load.file("in.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="200" '
              'height="200"><defs><linearGradient id="g"><stop offset="0" '
              'stop-color="red"/><stop offset="1" stop-color="blue"/>'
              "</linearGradient><filter id='b'><feGaussianBlur "
              "stdDeviation='3'/></filter></defs>" + "".join(
                  f'<circle cx="{n * 9}" cy="{n * 7}" r="{n + 5}" '
                  'fill="url(#g)" opacity=".4" filter="url(#b)"/>'
                  for n in range(20)) + "</svg>")
    load.run("rsvg-convert", "-o", "out.png", "in.svg")
    load.run("rsvg-convert", "nosuch.svg", status=1)


@program("sox", "mixes, resamples, filters a sound", "sox")
def sox(load):
    load.file("in.wav", sound())
    load.run("sox", "-D", "-R", "in.wav", "-r", "11025", "out.wav", "reverb",
             "lowpass", "2000", "tempo", "1.2")
    load.run("sox", "in.wav", "-n", "stat")
    load.run("sox", "nosuch.wav", "-n", "stat", status=2)


@program("gs", "Ghostscript: draws a page, makes a PDF", "ghostscript")
def ghostscript(load):
    load.file("in.ps", r"""%!PS
/fib { dup 2 ge { dup 1 sub fib exch 2 sub fib add } if } def
15 fib = /Helvetica findfont 20 scalefont setfont
10 10 moveto (clew) show
0 5 360 { gsave 100 100 translate rotate 0 0 moveto 80 0 lineto
  currentpoint 3 0 360 arc stroke grestore } for
showpage
""")
    load.run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=ppmraw", "-r40",
             "-sOutputFile=out.ppm", "in.ps")
    load.run("gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=txtwrite",
             "-sOutputFile=-", "in.ps")


@program("poppler", "a PDF to text and to a picture",
         "poppler-utils ghostscript", "pdftotext pdftoppm pdfinfo gs")
def poppler(load):
    load.file("in.ps", "%!PS\n/Helvetica findfont 20 scalefont setfont\n"
              "50 700 moveto (a clew of thread) show 50 50 200 300 rectfill "
              "showpage\n")
    load.client("gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite",
                "-sOutputFile=in.pdf", "in.ps")
    load.run("pdftotext", "in.pdf", "-")
    load.run("pdftoppm", "-r", "40", "in.pdf", "page")
    load.run("pdfinfo", "nosuch.pdf", status=1)
    load.ignore("in.pdf")  # The file contains its creation time.


@program("graphviz", "lays out graphs four ways", "graphviz", "dot neato")
def graphviz(load):
    load.file("in.dot", "digraph g {" + "".join(
        f"n{n} -> n{n * 7 % 23}; n{n} -> n{n * 5 % 23};" for n in range(23)
    ) + "}")
    for engine in "dot", "neato", "circo", "twopi":
        load.run(engine, "-Tsvg", "in.dot")
    load.run("dot", "-Tpng", "-o", "out.png", "in.dot")
    load.run("dot", stdin="digraph {", status=1)


@program("gnuplot", "draws and fits", "gnuplot-nox")
def gnuplot(load):
    load.run("gnuplot", "-d", stdin="""
set terminal svg; set output "out.svg"
plot sin(x), cos(x) * x
set terminal dumb 70 20; unset output
plot [0:10] x ** 2
splot x ** 2 - y ** 2
f(x) = a * x + b
$d << END
1 3
2 5.1
3 6.9
END
set fit logfile "/dev/null" quiet
fit f(x) $d via a, b
print sprintf("%.4f %.4f", a, b)
exit status 4
""", status=4)


@program("povray", "traces rays in threads", "povray")
def povray(load):
    load.file("in.pov", """
camera { location <0, 2, -3> look_at <0, 1, 2> }
light_source { <2, 4, -3> color rgb 1 }
sphere { <0, 1, 2>, 2 texture { pigment { color rgb <1, 1, 0> }
  finish { phong 1 reflection .3 } } }
plane { y, -1 pigment { checker color rgb 1 color rgb 0 } }
""")
    load.run("povray", "+Iin.pov", "+Oout.bmp", "+FB", "+W80", "+H60", "-D",
             # The output has times, threads and progress.
             "-GA", masks=[(r"(?s).+", "")])
    load.ignore(".povray", ".povray/*")
