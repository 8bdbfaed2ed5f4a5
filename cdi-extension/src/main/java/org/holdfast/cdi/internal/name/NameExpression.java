// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

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
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One expression over the parameters of a method: compiled and checked once, evaluated at each call. */
final class NameExpression {

    /** A position that is written out: whether there is such an argument is known before any call. */
    private static final Pattern POSITION = Pattern.compile("\\b" + Parameters.ALL + "\\s*\\[\\s*(\\d{1,9})\\s*\\]");

    private static final Pattern STRING = Pattern.compile("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"");

    /** Where it has neither of these, its value is one that it has read, or a number. */
    private static final Pattern TEXT_MADE = Pattern.compile("\\+=|\\(");

    private static final ELResolver RESOLVERS = resolvers();

    private final ValueExpression expression;
    private final Map<String, Integer> positions;
    private final Set<Integer> used;
    private final boolean makesText;
    private final boolean hasFunctions;

    private NameExpression(ValueExpression expression, Map<String, Integer> positions, Set<Integer> used) {
        String source = withoutStrings(expression.getExpressionString());
        this.makesText = TEXT_MADE.matcher(source).find();
        this.hasFunctions = source.contains("->");
        this.expression = expression;
        this.positions = positions;
        this.used = used;
    }

    private static ELResolver resolvers() {
        CompositeELResolver all = new NotingResolver();
        all.add(new ParameterResolver());
        all.add(new MapELResolver(true));
        all.add(new ListELResolver(true));
        all.add(new ArrayELResolver(true));
        all.add(new RecordResolver());
        all.add(new BeanELResolver(true));
        return all;
    }

    /** @throws IllegalArgumentException if it is not well formed, or names what is no parameter */
    static NameExpression compile(String source, Parameters parameters) {
        Context context = new Context(parameters.positions(), new Object[0], null);
        try {
            ValueExpression compiled =
                    ExpressionFactory.newInstance().createValueExpression(context, source, Object.class);
            if (!context.unknown.isEmpty()) {
                throw new IllegalArgumentException(source + " names " + context.unknown
                        + ", which is no parameter of the method; there are " + parameters.known());
            }
            if (context.used.contains(Parameters.ALL)) {
                throw new IllegalArgumentException(
                        source + " names '" + Parameters.ALL + "', which stands for all arguments,"
                                + " and the method has a parameter of this name. Give it another one by @LockKey");
            }
            Set<Integer> used = positionsIn(source, parameters.count());
            context.used.forEach(name -> used.add(parameters.positions().get(name)));
            return new NameExpression(compiled, parameters.positions(), used);
        } catch (ELException e) {
            throw new IllegalArgumentException(source + " is no valid expression: " + e.getMessage(), e);
        }
    }

    /** Returns an expression with nothing in its strings. */
    static String withoutStrings(String source) {
        return STRING.matcher(source).replaceAll("''");
    }

    private static Set<Integer> positionsIn(String source, int count) {
        Set<Integer> positions = new TreeSet<>();
        Matcher found = POSITION.matcher(withoutStrings(source));
        while (found.find()) {
            int position = Integer.parseInt(found.group(1));
            if (position >= count) {
                throw new IllegalArgumentException(
                        source + " asks for argument " + position + ", counted from 0, and the method has " + count);
            }
            positions.add(position);
        }
        return positions;
    }

    /** Says which arguments it looks at, as far as that is known without a call. */
    String arguments() {
        return used.isEmpty()
                ? ""
                : " (argument" + (used.size() == 1 ? " " : "s ")
                        + used.stream().map(String::valueOf).collect(Collectors.joining(", ")) + ")";
    }

    /** Returns what an evaluation of it notes its operands in; null if it makes no text of any. */
    @Nullable
    Operands operands() {
        return makesText ? new Operands(hasFunctions) : null;
    }

    /** @throws ELException if it cannot be evaluated; its message may contain values */
    Object evaluate(Object[] arguments, @Nullable Operands operands) {
        return expression.getValue(new Context(positions, arguments, operands));
    }

    @Override
    public String toString() {
        return expression.getExpressionString();
    }

    /** What an expression may see: the parameters. While compiling, it notes every other name. */
    private static final class Context extends ELContext {

        private final Map<String, Integer> positions;
        private final Object[] arguments;
        private final @Nullable Operands operands;
        private final Set<String> unknown = new TreeSet<>();
        private final Set<String> used = new TreeSet<>();

        Context(Map<String, Integer> positions, Object[] arguments, @Nullable Operands operands) {
            this.positions = positions;
            this.arguments = arguments;
            this.operands = operands;
            putContext(Context.class, this); // implementations wrap a context, but pass on what is put there
        }

        @Override
        public ELResolver getELResolver() {
            return RESOLVERS;
        }

        @Override
        public @Nullable FunctionMapper getFunctionMapper() {
            return null;
        }

        @Override
        public VariableMapper getVariableMapper() {
            return new VariableMapper() {
                @Override
                public @Nullable ValueExpression resolveVariable(String variable) {
                    if (positions.containsKey(variable)) {
                        used.add(variable);
                    } else if (!variable.equals(Parameters.ALL)) {
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

    /** Notes what is read: implementations convert operands to text by themselves, and show that to no resolver. */
    private static final class NotingResolver extends CompositeELResolver {

        @Override
        public @Nullable Object getValue(ELContext context, Object base, Object property) {
            Object value = super.getValue(context, base, property);
            Operands operands = operands(context);
            if (operands != null) {
                operands.read(base, value);
            }
            return value;
        }

        @Override
        public @Nullable Object invoke(
                ELContext context, Object base, Object method, Class<?>[] types, Object[] arguments) {
            Object value = super.invoke(context, base, method, types, arguments);
            Operands operands = operands(context);
            if (operands != null) {
                operands.called(base, method, value);
            }
            return value;
        }

        private static @Nullable Operands operands(ELContext context) {
            return ((Context) context.getContext(Context.class)).operands;
        }
    }

    private static final class ParameterResolver extends ELResolver {

        @Override
        public @Nullable Object getValue(ELContext context, Object base, Object property) {
            if (base != null) {
                return null;
            }
            Context call = (Context) context.getContext(Context.class);
            if (Parameters.ALL.equals(property)) {
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
        public @Nullable Class<?> getType(ELContext context, Object base, Object property) {
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
