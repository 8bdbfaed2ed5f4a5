// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Optional;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/**
 * Shows consoles what is {@linkplain Described described} at the interface, the names of parameters, and which
 * operation changes something: an MXBean alone shows {@code p0}, and an impact that is not known.
 */
final class DescribedBean extends StandardMBean {

    private static final String CHANGES = "forceRelease";

    DescribedBean(LockServiceMXBean bean) {
        super(bean, LockServiceMXBean.class, true);
    }

    @Override
    protected String getDescription(MBeanInfo info) {
        return "A running lock service of Holdfast";
    }

    @Override
    protected String getDescription(MBeanAttributeInfo attribute) {
        return method("get" + attribute.getName(), 0)
                .map(method -> text(method.getAnnotation(Described.class), attribute.getName()))
                .orElse(attribute.getName());
    }

    @Override
    protected String getDescription(MBeanOperationInfo operation) {
        return method(operation)
                .map(method -> text(method.getAnnotation(Described.class), operation.getName()))
                .orElse(operation.getName());
    }

    @Override
    protected String getDescription(MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
        return parameter(operation, sequence)
                .map(each -> text(each.getAnnotation(Described.class), each.getName()))
                .orElse(parameter.getName());
    }

    @Override
    protected String getParameterName(MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
        return parameter(operation, sequence).map(Parameter::getName).orElse(parameter.getName());
    }

    @Override
    protected int getImpact(MBeanOperationInfo operation) {
        return operation.getName().equals(CHANGES) ? MBeanOperationInfo.ACTION : MBeanOperationInfo.INFO;
    }

    private static String text(@Nullable Described described, String otherwise) {
        return described == null ? otherwise : described.value();
    }

    private static Optional<Parameter> parameter(MBeanOperationInfo operation, int sequence) {
        return method(operation).map(method -> method.getParameters()[sequence]);
    }

    private static Optional<Method> method(MBeanOperationInfo operation) {
        return method(operation.getName(), operation.getSignature().length);
    }

    /** No two operations have the same name and the same number of parameters. */
    private static Optional<Method> method(String name, int parameters) {
        return Stream.of(LockServiceMXBean.class.getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == parameters)
                .findFirst();
    }
}
