// SPDX-License-Identifier: Apache-2.0

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;

/**
 * Measures how large the rooms of the code base are, and how much they know of each other.
 *
 * <p>Run it with {@code java .ci/Figures.java} after {@code mvn compile}. For each module that is named, or for the
 * API, the core and the CDI extension, it prints one row: files, lines of files and of methods (median, 90th of 100,
 * largest), the part of the fields that is final, types in the largest package, types in circles of classes and in the
 * largest of them, the most types that one type knows, and the most parameters of a constructor that is not a
 * record's. A nested type counts as part of the type around it. Types of other libraries do not count.
 */
final class Figures {

    private static final String OURS = "org.holdfast";

    /** Types that know more than so many are named. */
    private static final int WIDE = 16;

    private final Path module;
    private final List<Long> fileLines = new ArrayList<>();
    private final List<Long> methodLines = new ArrayList<>();
    private final Map<String, Integer> packages = new TreeMap<>();
    private final Map<String, Set<String>> knows = new TreeMap<>();
    private long fields;
    private long finals;
    private int parameters;
    private String longest = "";
    private String widest = "";

    private Figures(Path module) {
        this.module = module;
    }

    public static void main(String[] modules) throws IOException {
        System.out.println("| module | files | lines/file | lines/method | final fields | largest package | types in circles"
                + " | largest circle | widest fan-out | constructor parameters |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        List<String> measured = modules.length > 0 ? List.of(modules) : List.of("adapter/api", "adapter/core", "cdi-extension");
        List<String> notes = new ArrayList<>();
        for (String module : measured) {
            Figures figures = new Figures(Path.of(module));
            figures.read();
            System.out.println(figures.row());
            notes.add(module + ": the longest file is " + figures.longest + ", wide fan-outs: " + figures.widest
                    + ", circles: " + figures.circles());
        }
        System.out.println();
        notes.forEach(System.out::println);
    }

    private void read() throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .toList();
        }
        long most = 0;
        for (Path source : sources) {
            long lines = Files.lines(source).count();
            fileLines.add(lines);
            if (lines > most) {
                most = lines;
                longest = source.getFileName().toString();
            }
            packages.merge(module.relativize(source.getParent()).toString(), 1, Integer::sum);
        }
        parse(sources);
        readDependencies();
    }

    private void parse(List<Path> sources) throws IOException {
        JavaCompiler compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Counter(unit, positions).scan(unit, null);
            }
        }
    }

    /** Counts what stands in one file. */
    private final class Counter extends TreeScanner<Void, Void> {

        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final LineMap lines;
        private boolean inRecord;

        Counter(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
            this.lines = unit.getLineMap();
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            type.getMembers().stream()
                    .filter(VariableTree.class::isInstance)
                    .map(VariableTree.class::cast)
                    .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                    .forEach(field -> {
                        fields++;
                        finals += field.getModifiers().getFlags().contains(Modifier.FINAL) ? 1 : 0;
                    });
            boolean outer = inRecord;
            inRecord = type.getKind() == Tree.Kind.RECORD;
            super.visitClass(type, unused);
            inRecord = outer;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            long begin = positions.getStartPosition(unit, method);
            long end = positions.getEndPosition(unit, method);
            if (method.getBody() != null && begin >= 0 && end >= 0) {
                methodLines.add(lines.getLineNumber(end) - lines.getLineNumber(begin) + 1);
            }
            if (method.getReturnType() == null && !inRecord) {
                parameters = Math.max(parameters, method.getParameters().size());
            }
            return super.visitMethod(method, unused);
        }
    }

    private void readDependencies() {
        StringWriter out = new StringWriter();
        ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(
                        new PrintWriter(out),
                        new PrintWriter(System.err),
                        "-verbose:class",
                        "-filter:none",
                        "--ignore-missing-deps",
                        "--multi-release",
                        "17",
                        module.resolve("target/classes").toString());
        out.toString().lines().map(String::strip).forEach(line -> {
            String[] words = line.split("\\s+");
            if (words.length >= 3 && words[1].equals("->") && words[0].startsWith(OURS) && words[2].startsWith(OURS)) {
                String from = outermost(words[0]);
                String to = outermost(words[2]);
                if (!from.equals(to)) {
                    knows.computeIfAbsent(from, type -> new TreeSet<>()).add(to);
                }
            }
        });
    }

    private static String outermost(String type) {
        int nested = type.indexOf('$');
        return nested < 0 ? type : type.substring(0, nested);
    }

    private String row() {
        List<List<String>> circles = findCircles();
        int inCircles = circles.stream().mapToInt(List::size).sum();
        int largest = circles.stream().mapToInt(List::size).max().orElse(0);
        Map.Entry<String, Set<String>> most = knows.entrySet().stream()
                .max(Comparator.comparingInt(entry -> entry.getValue().size()))
                .orElseThrow(() -> new IllegalStateException(
                        module + " has no compiled classes in target/classes: run mvn compile first"));
        widest = knows.entrySet().stream()
                .filter(entry -> entry.getValue().size() > WIDE)
                .sorted(Comparator.comparingInt(entry -> -entry.getValue().size()))
                .map(entry -> entry.getKey().substring(OURS.length() + 1) + " " + entry.getValue().size())
                .toList()
                .toString();
        return "| " + module + " | " + fileLines.size() + " | " + spread(fileLines) + " | " + spread(methodLines) + " | "
                + 100 * finals / Math.max(1, fields) + " % | " + Collections.max(packages.values()) + " | "
                + 100 * inCircles / fileLines.size() + " % | " + largest + " | " + most.getValue().size() + " | "
                + parameters + " |";
    }

    private List<String> circles() {
        return findCircles().stream()
                .map(circle -> circle.size() + " around " + circle.get(0))
                .toList();
    }

    private static String spread(List<Long> numbers) {
        List<Long> sorted = numbers.stream().sorted().toList();
        return sorted.get(sorted.size() / 2) + "/" + sorted.get(sorted.size() * 9 / 10) + "/" + sorted.get(sorted.size() - 1);
    }

    /**
     * Returns the strongly connected components of more than one type, after R. Tarjan, Depth-first search and linear
     * graph algorithms, 1972.
     */
    private List<List<String>> findCircles() {
        Map<String, Integer> number = new HashMap<>();
        Map<String, Integer> low = new HashMap<>();
        Deque<String> stack = new ArrayDeque<>();
        Set<String> onStack = new HashSet<>();
        List<List<String>> circles = new ArrayList<>();
        for (String type : knows.keySet()) {
            if (!number.containsKey(type)) {
                visit(type, number, low, stack, onStack, circles);
            }
        }
        return circles;
    }

    private void visit(
            String type,
            Map<String, Integer> number,
            Map<String, Integer> low,
            Deque<String> stack,
            Set<String> onStack,
            List<List<String>> circles) {
        number.put(type, number.size());
        low.put(type, number.get(type));
        stack.push(type);
        onStack.add(type);
        for (String known : knows.getOrDefault(type, Set.of())) {
            if (!number.containsKey(known)) {
                visit(known, number, low, stack, onStack, circles);
                low.merge(type, low.get(known), Math::min);
            } else if (onStack.contains(known)) {
                low.merge(type, number.get(known), Math::min);
            }
        }
        if (low.get(type).equals(number.get(type))) {
            List<String> circle = new ArrayList<>();
            String member;
            do {
                member = stack.pop();
                onStack.remove(member);
                circle.add(member);
            } while (!member.equals(type));
            if (circle.size() > 1) {
                circles.add(circle);
            }
        }
    }
}
