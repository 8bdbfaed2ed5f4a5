// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.holdfast.cdi.Locked;

/**
 * Finds the annotation that holds for a method where the container finds it: on the method, on the class, or on a stereotype
 * of the class, however deep. {@code Method.getAnnotation} would miss what extensions and stereotypes add.
 */
final class BindingLookup {

    private final BeanManager beans;

    BindingLookup(BeanManager beans) {
        this.beans = beans;
    }

    Optional<Locked> find(AnnotatedType<?> type, AnnotatedMethod<?> method) {
        Optional<Locked> onMethod = among(method.getAnnotations(), new HashSet<>());
        return onMethod.isPresent() ? onMethod : among(type.getAnnotations(), new HashSet<>());
    }

    private Optional<Locked> among(Collection<Annotation> annotations, Set<Class<?>> seen) {
        for (Annotation annotation : annotations) {
            if (annotation instanceof Locked locked) {
                return Optional.of(locked);
            }
        }
        for (Annotation annotation : annotations) {
            Class<? extends Annotation> kind = annotation.annotationType();
            if (isComposed(kind) && seen.add(kind)) {
                Optional<Locked> inside = among(contentOf(kind), seen);
                if (inside.isPresent()) {
                    return inside;
                }
            }
        }
        return Optional.empty();
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
