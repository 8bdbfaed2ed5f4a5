// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which values may stand in the name of a lock: those whose text is their content.
 *
 * <p>A text with an identity in it, as {@link Object#toString()} writes it, is another one for each instance and in
 * each process: every call would have a lock of its own. What a class of the application writes is taken at its word,
 * unless the identity of the object, of one of its parts, or of an array is in it.
 */
final class NameValues {

    /** What is inside of more than so many others is not looked at: its text would be no name. */
    private static final int DEEPEST = 16;

    /** A text that is a name has no room for more. */
    private static final int MOST_PARTS = 1_024;

    /** What {@link Object#toString()} writes: the name of a class and a number. No text is looked through twice. */
    private static final Pattern IDENTITY = Pattern.compile(
            "(?<![\\p{L}\\d_$.])([\\p{L}_$][\\p{L}\\d_$.]*+)" + "@[0-9a-f]{1,8}(?![\\p{L}\\d_$-]|\\.[\\p{L}\\d])");

    /** No more of what addresses begin with behind the at sign is hexadecimal, as a rule. */
    private static final int ADDRESS = 6;

    /** What an array writes, in the text of whatever class; one in 2,000 has fewer digits, as addresses may have. */
    private static final Pattern ARRAY =
            Pattern.compile("\\[(?:[BCDFIJSZ]|L[\\p{L}\\d_$.]++;)@[0-9a-f]{6,8}(?![\\p{L}\\d_$-]|\\.[\\p{L}\\d])");

    /** As classes are called that a container makes, which say what their target says. */
    private static final List<String> GENERATED = List.of("$$", "$HibernateProxy$", "$Proxy", "_ClientProxy");

    private static final ClassValue<Boolean> HAS_TEXT_OF_ITS_OWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return !type.isArray() && type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("every class has toString", e);
            }
        }
    };

    private NameValues() {}

    /** Returns what stands against the value, whose text this is, in words without it; null if nothing does. */
    static @Nullable String whyRefused(Object value, String text) {
        if (value instanceof String || value instanceof Integer || value instanceof Long || value instanceof UUID) {
            return null;
        }
        Class<?> type = value.getClass();
        if (!HAS_TEXT_OF_ITS_OWN.get(type)) {
            return "a " + type.getTypeName() + ", whose text says nothing of its content";
        }
        if (!isContainer(value) && text.indexOf('@') >= 0 && ARRAY.matcher(text).find()) {
            return "a " + type.getTypeName() + ", whose text has that of an array in it, another one for each instance";
        }
        return new PartsOfValue(text).whyRefused(value, true, 0);
    }

    /** The outermost value, and what is inside of it. */
    private static final class PartsOfValue {

        private final String text;

        /** What has an identity in the text, as far as it looks like the name of a class. */
        private final List<String> named;

        private int looked;

        private PartsOfValue(String text) {
            this.text = text;
            this.named = namesWithIdentity(text);
        }

        /** @param shown whether its text is in that of the outermost value: else another class says what is there */
        private @Nullable String whyRefused(@Nullable Object value, boolean shown, int depth) {
            if (value == null || isText(value) || value instanceof Enum || ++looked > MOST_PARTS) {
                return null;
            }
            String owner = depth == 0 ? "a " : "of a type that contains a ";
            if (shown && Proxy.isProxyClass(value.getClass())) {
                return owner + "dynamic proxy, whose text may be that of its handler";
            }
            String textless = shown ? TextlessTypes.whyNever(value.getClass()) : null;
            if (textless != null) {
                return owner + textless;
            }
            if (isIdentityIn(text, value) || named.stream().anyMatch(name -> isNameOf(value.getClass(), name))) {
                return owner + value.getClass().getTypeName() + ", whose text is another one for each instance";
            }
            boolean showsParts = shown && (isContainer(value) || value instanceof Record record && showsParts(record));
            if (!showsParts && text.indexOf('@') < 0) {
                return null; // there is no identity in the text to be found in its parts
            }
            return depth == DEEPEST ? whyTooDeep(showsParts) : whyPartRefused(parts(value), showsParts, depth + 1);
        }

        private static @Nullable String whyTooDeep(boolean showsParts) {
            return showsParts ? "nested too deeply" : null;
        }

        private @Nullable String whyPartRefused(Collection<?> parts, boolean shown, int depth) {
            for (Object part : parts) {
                String reason = whyRefused(part, shown, depth);
                if (reason != null || looked > MOST_PARTS) {
                    return reason;
                }
            }
            return null;
        }
    }

    /** Returns whether its text consists of those of its parts. */
    static boolean isContainer(Object value) {
        return value instanceof Optional
                || value instanceof Collection
                || value instanceof Map
                || value instanceof Map.Entry
                || value instanceof AtomicReference
                || value instanceof AtomicReferenceArray;
    }

    private static boolean showsParts(Record record) {
        return isTextGenerated(record.getClass());
    }

    private static boolean isText(Object value) {
        return value instanceof CharSequence && HAS_TEXT_OF_ITS_OWN.get(value.getClass());
    }

    /** As {@link Object#toString()} ends, which others put into their own text. */
    private static boolean isIdentityIn(String text, Object value) {
        if (text.indexOf('@') < 0) {
            return false;
        }
        boolean isDefault = !HAS_TEXT_OF_ITS_OWN.get(value.getClass());
        String identity = "@" + Integer.toHexString(isDefault ? value.hashCode() : System.identityHashCode(value));
        for (int at = text.indexOf(identity); at >= 0; at = text.indexOf(identity, at + 1)) {
            if (identity.length() > ADDRESS || endsAt(text, at + identity.length())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether nothing goes on there, as an address does: {@code anna@acme.com} is no identity {@code a}. */
    private static boolean endsAt(String text, int end) {
        if (end == text.length()) {
            return true;
        }
        char next = text.charAt(end);
        boolean isDomain = next == '.' && end + 1 < text.length() && Character.isLetterOrDigit(text.charAt(end + 1));
        return !isDomain && !Character.isLetterOrDigit(next) && next != '_' && next != '-';
    }

    /** A proxy, as that of an entity which is not loaded yet, or of a bean, has the text of what is behind it. */
    private static List<String> namesWithIdentity(String text) {
        if (text.indexOf('@') < 0) {
            return List.of();
        }
        return IDENTITY.matcher(text).results().map(each -> each.group(1)).toList();
    }

    /** Returns whether it is the name of the class, of one that it extends, or of a generated one of these. */
    private static boolean isNameOf(Class<?> type, String name) {
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            if (name.equals(each.getName()) || name.startsWith(each.getName() + "$")) {
                return true;
            }
        }
        return name.indexOf('.') > 0 && isGenerated(type); // what is behind it may be of another class
    }

    private static boolean isGenerated(Class<?> type) {
        return type.isSynthetic() || GENERATED.stream().anyMatch(type.getName()::contains);
    }

    private static Collection<?> parts(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.stream().toList();
        }
        if (value instanceof Collection<?> elements) {
            return elements;
        }
        if (value instanceof Map<?, ?> map) {
            List<Object> entries = new ArrayList<>(map.keySet());
            entries.addAll(map.values());
            return entries;
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            return Arrays.asList(entry.getKey(), entry.getValue());
        }
        if (value instanceof AtomicReference<?> reference) {
            return Arrays.asList(reference.get());
        }
        if (value instanceof AtomicReferenceArray<?> array) {
            return IntStream.range(0, array.length()).mapToObj(array::get).toList();
        }
        return value instanceof Record ? components(value) : List.of();
    }

    private static List<Object> components(Object record) {
        List<Object> components = new ArrayList<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            components.add(RecordResolver.read(record, component));
        }
        return components;
    }

    /** Returns what stands against each value of a declared type, in words; null if it depends on the value. */
    static @Nullable String whyNever(Type declared) {
        return whyNever(declared, new HashSet<>());
    }

    /** @param records that were looked at: a record may contain itself, by way of a list or of another record */
    private static @Nullable String whyNever(Type declared, Set<Class<?>> records) {
        if (declared instanceof GenericArrayType) {
            return "an array, whose text says nothing of its content";
        }
        if (declared instanceof ParameterizedType parameterized) {
            return whyNever(parameterized, records);
        }
        return declared instanceof Class<?> type ? whyNever(type, records) : null;
    }

    private static @Nullable String whyNever(ParameterizedType declared, Set<Class<?>> records) {
        Class<?> type = (Class<?>) declared.getRawType();
        boolean showsParts = type == Optional.class
                || type == AtomicReference.class
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type);
        String reason = whyNever(type, records);
        for (Type argument : declared.getActualTypeArguments()) {
            reason = reason == null && showsParts ? whyNever(argument, records) : reason;
        }
        return reason;
    }

    private static @Nullable String whyNever(Class<?> type, Set<Class<?>> records) {
        if (type.isArray()) {
            return "an array, whose text says nothing of its content";
        }
        if (Future.class.isAssignableFrom(type)) {
            return "a " + type.getTypeName() + ", whose text is another one for each instance";
        }
        if (Modifier.isFinal(type.getModifiers()) && !type.isPrimitive() && !HAS_TEXT_OF_ITS_OWN.get(type)) {
            return "a " + type.getTypeName() + ", whose text says nothing of its content";
        }
        String textless = TextlessTypes.whyNever(type);
        if (textless != null) {
            return "a " + textless;
        }
        return type.isRecord() && isTextGenerated(type) && records.add(type) ? whyNeverOfParts(type, records) : null;
    }

    /** What the compiler writes for a record is final; what people write is not, as a rule. */
    private static boolean isTextGenerated(Class<?> record) {
        try {
            Method text = record.getMethod("toString");
            return Modifier.isFinal(text.getModifiers());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every class has toString", e);
        }
    }

    private static @Nullable String whyNeverOfParts(Class<?> record, Set<Class<?>> records) {
        for (RecordComponent component : record.getRecordComponents()) {
            String reason = whyNever(component.getGenericType(), records);
            if (reason != null) {
                return "of a type that contains " + reason;
            }
        }
        return null;
    }
}
