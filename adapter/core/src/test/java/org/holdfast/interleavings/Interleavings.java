// SPDX-License-Identifier: Apache-2.0
package org.holdfast.interleavings;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Tries the interleavings of the threads of stories.
 *
 * <p>A story is written as {@code "share; giveBack 1 | lose"}: threads are separated by bars, their operations by
 * semicolons, and arguments by blanks. Operations are methods of a class that has the real object. What they may return
 * is said by a class with the same methods that one thread uses, the specification. Lincheck asks for a generator of
 * each parameter by its name, and uses none. A method with {@link Validate} is called after each run, and must not
 * throw.
 */
public final class Interleavings {

    /** How many interleavings of a story are tried at the most. Most stories have fewer. */
    private static final int MOST = Integer.getInteger("interleavings", 30);

    /** A broken variant ends with the first one that shows it. */
    private static final int MOST_OF_A_VARIANT = Math.max(MOST, 3_000);

    /** A run that takes longer hangs. On a busy machine the first one takes seconds: classes are loaded in it. */
    private static final long LONGEST_MILLIS = 300_000;

    private final Class<?> operations;
    private final Class<?> specification;
    private final List<Story> stories = new ArrayList<>();

    /** Values that no thread changes, at first. Their loops over texts are longer than Lincheck lets a loop be. */
    private final List<String> oneStep = new ArrayList<>(List.of("protocol.node."));

    private record Story(String before, String threads) {}

    private Interleavings(Class<?> operations, Class<?> specification) {
        this.operations = operations;
        this.specification = specification;
    }

    /**
     * @param operations makes the real object, and calls it
     * @param specification has the same methods, for one thread
     */
    public static Interleavings of(Class<?> operations, Class<?> specification) {
        return new Interleavings(operations, specification);
    }

    public Interleavings story(String threads) {
        return story("", threads);
    }

    /**
     * @param before is done by one thread before. A constructor must not do it if objects are put into hash tables:
     *     Lincheck gives them other hash codes there
     */
    public Interleavings story(String before, String threads) {
        stories.add(new Story(before, threads));
        return this;
    }

    /** Tries no switch inside of classes whose names have one of these parts: the stories are not about them. */
    public Interleavings asOneStep(String... partsOfNames) {
        oneStep.addAll(List.of(partsOfNames));
        return this;
    }

    /** @throws LincheckAssertionError with the interleaving that no order of the operations explains */
    public void check() {
        check(operations, specification, MOST);
    }

    /**
     * Checks the same with a sentence of a source replaced by another.
     *
     * @param file below the source folder
     * @return what the checker says, or null if it finds nothing
     */
    public String checkWith(String file, String sentence, String replacement) throws Exception {
        List<Class<?>> changed = Variant.of(List.of(operations, specification), file, sentence, replacement);
        try {
            check(changed.get(0), changed.get(1), MOST_OF_A_VARIANT);
            return null;
        } catch (LincheckAssertionError e) {
            return e.getMessage();
        }
    }

    private void check(Class<?> on, Class<?> as, int most) {
        ModelCheckingOptions options = new ModelCheckingOptions();
        stories.forEach(story -> options.addCustomScenario(scenario(story, on)));
        options.addGuarantee(
                ManagedStrategyGuaranteeKt.forClasses(name -> oneStep.stream().anyMatch(name::contains))
                        .allMethods()
                        .ignore());
        options.invocationTimeout$lincheck(LONGEST_MILLIS);
        options.iterations(0)
                .invocationsPerIteration(most)
                .minimizeFailedScenario(false)
                .sequentialSpecification(as)
                .check(on);
    }

    private static ExecutionScenario scenario(Story story, Class<?> on) {
        List<List<Actor>> threads = new ArrayList<>();
        for (String thread : story.threads().split("\\|")) {
            threads.add(actors(thread, on));
        }
        Actor validation = Arrays.stream(on.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Validate.class))
                .findFirst()
                .map(method -> new Actor(method, List.of()))
                .orElse(null);
        return new ExecutionScenario(actors(story.before(), on), threads, List.of(), validation);
    }

    private static List<Actor> actors(String operations, Class<?> on) {
        return Arrays.stream(operations.split(";"))
                .map(String::strip)
                .filter(operation -> !operation.isEmpty())
                .map(operation -> actor(operation, on))
                .toList();
    }

    private static Actor actor(String operation, Class<?> on) {
        String[] words = operation.split(" ");
        Method method = Arrays.stream(on.getDeclaredMethods())
                .filter(each -> each.getName().equals(words[0]) && each.getParameterCount() == words.length - 1)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(on + " has no operation '" + operation + "'"));
        List<Object> arguments = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            arguments.add(
                    method.getParameterTypes()[i - 1] == boolean.class
                            ? Boolean.valueOf(words[i])
                            : (Object) Integer.valueOf(words[i]));
        }
        return new Actor(method, arguments);
    }
}
