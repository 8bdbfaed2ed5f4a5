// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.holdfast.cdi.Locked;

/**
 * Finds the annotation that holds for a method where the container finds it: on the method, on the class, or on a
 * stereotype of the class, however deep. {@code Method.getAnnotation} would miss what extensions and stereotypes add.
 */
public final class BindingLookup {

    private final BeanManager beans;

    public BindingLookup(BeanManager beans) {
        this.beans = beans;
    }

    /**
     * @throws IllegalArgumentException if there are several, and nothing says which of them is meant; or if the one
     *     of the method is on a stereotype, which the container does not look for there
     */
    Optional<Locked> find(AnnotatedType<?> type, AnnotatedMethod<?> method) {
        Optional<Locked> onMethod = among(method.getAnnotations());
        if (onMethod.isPresent() && !isAmong(withoutStereotypes(method.getAnnotations()))) {
            throw new IllegalArgumentException("it would run without its lock: a stereotype has no effect on a method."
                    + " Put @Locked there, or an interceptor binding that has it");
        }
        return onMethod.isPresent() ? onMethod : among(type.getAnnotations());
    }

    private Collection<Annotation> withoutStereotypes(Collection<Annotation> annotations) {
        return annotations.stream()
                .filter(annotation -> !beans.isStereotype(annotation.annotationType()))
                .toList();
    }

    /** Returns whether one is among them, or inside of one of them. */
    boolean isAmong(Collection<Annotation> annotations) {
        return !all(annotations).isEmpty();
    }

    private Optional<Locked> among(Collection<Annotation> annotations) {
        Set<Locked> found = all(annotations);
        if (found.size() > 1) {
            throw new IllegalArgumentException(
                    "several stereotypes have a @Locked each, and one must be meant: " + found);
        }
        return found.stream().findFirst();
    }

    private Set<Locked> all(Collection<Annotation> annotations) {
        Set<Locked> found = new LinkedHashSet<>();
        collect(annotations, found, new HashSet<>());
        return found;
    }

    /** What is nearer hides what is inside it. */
    private void collect(Collection<Annotation> annotations, Set<Locked> found, Set<Class<?>> seen) {
        Optional<Annotation> here =
                annotations.stream().filter(Locked.class::isInstance).findFirst();
        if (here.isPresent()) {
            found.add((Locked) here.get());
            return;
        }
        for (Annotation annotation : annotations) {
            Class<? extends Annotation> kind = annotation.annotationType();
            if (isComposed(kind) && seen.add(kind)) {
                collect(contentOf(kind), found, seen);
            }
        }
    }

    private boolean isComposed(Class<? extends Annotation> kind) {
        return beans.isStereotype(kind) || beans.isInterceptorBinding(kind);
    }

    private Collection<Annotation> contentOf(Class<? extends Annotation> kind) {
        return beans.isStereotype(kind)
                ? beans.getStereotypeDefinition(kind)
                : beans.getInterceptorBindingDefinition(kind);
    }
}
