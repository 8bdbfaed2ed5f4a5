// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.el.ArrayELResolver;
import jakarta.el.BeanELResolver;
import jakarta.el.CompositeELResolver;
import jakarta.el.ELContext;
import jakarta.el.ELException;
import jakarta.el.ELResolver;
import jakarta.el.ExpressionFactory;
import jakarta.el.FunctionMapper;
import jakarta.el.ListELResolver;
import jakarta.el.MapELResolver;
import jakarta.el.ValueExpression;
import jakarta.el.VariableMapper;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** One expression over the parameters of a method: compiled and checked once, evaluated at each call. */
final class NameExpression {

    /** All arguments, by position. */
    private static final String ARGUMENTS = "args";

    private static final ELResolver RESOLVERS = resolvers();

    private final ValueExpression expression;
    private final Map<String, Integer> positions;

    private NameExpression(ValueExpression expression, Map<String, Integer> positions) {
        this.expression = expression;
        this.positions = positions;
    }

    private static ELResolver resolvers() {
        CompositeELResolver all = new CompositeELResolver();
        all.add(new ParameterResolver());
        all.add(new MapELResolver(true));
        all.add(new ListELResolver(true));
        all.add(new ArrayELResolver(true));
        all.add(new RecordResolver());
        all.add(new BeanELResolver(true));
        return all;
    }

    /** @throws IllegalArgumentException if it is not well formed, or names what is no parameter */
    static NameExpression compile(String source, Method method) {
        Map<String, Integer> positions = positions(method);
        Context context = new Context(positions, null);
        try {
            ValueExpression compiled =
                    ExpressionFactory.newInstance().createValueExpression(context, source, Object.class);
            if (!context.unknown.isEmpty()) {
                throw new IllegalArgumentException(source + " names " + context.unknown
                        + ", which is no parameter of the method; there are " + new TreeSet<>(positions.keySet())
                        + " and " + ARGUMENTS + "[…]" + hint(method));
            }
            return new NameExpression(compiled, positions);
        } catch (ELException e) {
            throw new IllegalArgumentException(source + " is no valid expression: " + e.getMessage(), e);
        }
    }

    private static Map<String, Integer> positions(Method method) {
        Map<String, Integer> positions = new HashMap<>();
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            positions.put(parameters[i].getName(), i);
        }
        return positions;
    }

    private static String hint(Method method) {
        boolean named = Arrays.stream(method.getParameters()).allMatch(Parameter::isNamePresent);
        return named ? "" : " (compile with -parameters to use the names of parameters)";
    }

    Object evaluate(Object[] arguments) {
        return expression.getValue(new Context(positions, arguments));
    }

    @Override
    public String toString() {
        return expression.getExpressionString();
    }

    /** What an expression may see: the parameters. While compiling, it notes every other name. */
    private static final class Context extends ELContext {

        private final Map<String, Integer> positions;
        private final Object[] arguments;
        private final Set<String> unknown = new TreeSet<>();

        Context(Map<String, Integer> positions, Object[] arguments) {
            this.positions = positions;
            this.arguments = arguments;
            putContext(Context.class, this); // implementations wrap a context, but pass on what is put there
        }

        @Override
        public ELResolver getELResolver() {
            return RESOLVERS;
        }

        @Override
        public FunctionMapper getFunctionMapper() {
            return null;
        }

        @Override
        public VariableMapper getVariableMapper() {
            return new VariableMapper() {
                @Override
                public ValueExpression resolveVariable(String variable) {
                    if (!variable.equals(ARGUMENTS) && !positions.containsKey(variable)) {
                        unknown.add(variable);
                    }
                    return null; // resolved at the call
                }

                @Override
                public ValueExpression setVariable(String variable, ValueExpression value) {
                    throw new ELException("a lock's name sets no variables");
                }
            };
        }
    }

    private static final class ParameterResolver extends ELResolver {

        @Override
        public Object getValue(ELContext context, Object base, Object property) {
            if (base != null) {
                return null;
            }
            Context call = (Context) context.getContext(Context.class);
            if (ARGUMENTS.equals(property)) {
                context.setPropertyResolved(base, property);
                return call.arguments;
            }
            Integer position = call.positions.get(property);
            if (position == null) {
                return null;
            }
            context.setPropertyResolved(base, property);
            return call.arguments[position];
        }

        @Override
        public Class<?> getType(ELContext context, Object base, Object property) {
            return null;
        }

        @Override
        public void setValue(ELContext context, Object base, Object property, Object value) {
            // nothing here can be set; unresolved, which is an error
        }

        @Override
        public boolean isReadOnly(ELContext context, Object base, Object property) {
            return true;
        }

        @Override
        public Class<?> getCommonPropertyType(ELContext context, Object base) {
            return String.class;
        }
    }
}
