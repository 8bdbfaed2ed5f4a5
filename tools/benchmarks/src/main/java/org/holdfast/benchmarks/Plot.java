// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * A drawing of some curves, as SVG: both axes are logarithmic, so that what grows as fast as the other is a straight
 * line, and what does not grow is a level one.
 *
 * @param title what it shows
 * @param across what the horizontal axis is
 * @param up what the vertical axis is
 */
record Plot(String title, String across, String up, List<Curve> curves) {

    private static final int WIDTH = 640;
    private static final int HEIGHT = 360;
    private static final int LEFT = 70;
    private static final int RIGHT = 110;
    private static final int TOP = 40;
    private static final int BOTTOM = 50;
    private static final List<String> COLOURS = List.of("#1f6fb4", "#d9822b", "#7a5195", "#2f9e6e");

    /** @param points of which all numbers are more than 0 */
    record Curve(String name, List<Point> points) {}

    record Point(double x, double y) {}

    /** The powers of ten between which all values are. */
    private record Scale(int from, int to) {

        static Scale of(double least, double most) {
            int from = (int) Math.floor(Math.log10(least));
            return new Scale(from, Math.max(from + 1, (int) Math.ceil(Math.log10(most) - 1e-9)));
        }

        double part(double value) {
            return (Math.log10(value) - from) / (to - from);
        }
    }

    String svg() {
        List<Point> all =
                curves.stream().flatMap(curve -> curve.points().stream()).toList();
        Scale x = Scale.of(
                all.stream().mapToDouble(Point::x).min().orElseThrow(),
                all.stream().mapToDouble(Point::x).max().orElseThrow());
        Scale y = Scale.of(
                all.stream().mapToDouble(Point::y).min().orElseThrow(),
                all.stream().mapToDouble(Point::y).max().orElseThrow());
        StringBuilder svg = new StringBuilder();
        line(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH,
                HEIGHT);
        line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        text(svg, WIDTH / 2.0, TOP / 2.0, "middle", title, "");
        axes(svg, x, y);
        for (int i = 0; i < curves.size(); i++) {
            draw(svg, curves.get(i), COLOURS.get(i % COLOURS.size()), x, y);
        }
        line(svg, "</svg>");
        return svg.toString();
    }

    private void axes(StringBuilder svg, Scale x, Scale y) {
        for (int power = x.from(); power <= x.to(); power++) {
            double at = across(x, Math.pow(10, power));
            rule(svg, at, TOP, at, HEIGHT - BOTTOM);
            text(svg, at, HEIGHT - BOTTOM + 16.0, "middle", number(power), "");
        }
        for (int power = y.from(); power <= y.to(); power++) {
            double at = up(y, Math.pow(10, power));
            rule(svg, LEFT, at, WIDTH - RIGHT, at);
            text(svg, LEFT - 6.0, at + 4, "end", number(power), "");
        }
        text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", across, "");
        text(svg, 16, HEIGHT / 2.0, "middle", up, " transform=\"rotate(-90 16 " + HEIGHT / 2 + ")\"");
    }

    private static void draw(StringBuilder svg, Curve curve, String colour, Scale x, Scale y) {
        StringBuilder path = new StringBuilder();
        for (Point point : curve.points()) {
            path.append(String.format(Locale.ROOT, "%.1f,%.1f ", across(x, point.x()), up(y, point.y())));
        }
        line(
                svg,
                "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>",
                colour,
                path.toString().trim());
        Point last = curve.points().get(curve.points().size() - 1);
        text(svg, across(x, last.x()) + 6, up(y, last.y()) + 4, "start", curve.name(), " fill=\"" + colour + "\"");
    }

    private static double across(Scale scale, double value) {
        return LEFT + scale.part(value) * (WIDTH - LEFT - RIGHT);
    }

    private static double up(Scale scale, double value) {
        return HEIGHT - BOTTOM - scale.part(value) * (HEIGHT - TOP - BOTTOM);
    }

    private static String number(int power) {
        return String.format(Locale.ROOT, "%,.0f", Math.pow(10, power));
    }

    private static void rule(StringBuilder svg, double x1, double y1, double x2, double y2) {
        line(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#cccccc\"/>", x1, y1, x2, y2);
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String what, String more) {
        line(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>", x, y, anchor, more, what);
    }

    private static void line(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
