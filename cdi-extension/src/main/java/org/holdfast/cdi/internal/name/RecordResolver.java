// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import jakarta.el.ELContext;
import jakarta.el.ELException;
import jakarta.el.ELResolver;
import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/** Reads the components of records by name, which Expression Language learns only in version 6. */
final class RecordResolver extends ELResolver {

    @Override
    public @Nullable Object getValue(ELContext context, Object base, Object property) {
        if (!(base instanceof Record) || property == null) {
            return null;
        }
        for (RecordComponent component : base.getClass().getRecordComponents()) {
            if (component.getName().equals(property.toString())) {
                context.setPropertyResolved(base, property);
                return read(base, component);
            }
        }
        return null;
    }

    static Object read(Object base, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true); // the record may be nested in a class that is not public
            return component.getAccessor().invoke(base);
        } catch (ReflectiveOperationException e) {
            throw new ELException("component " + component.getName() + " cannot be read", e);
        }
    }

    @Override
    public @Nullable Class<?> getType(ELContext context, Object base, Object property) {
        return null;
    }

    @Override
    public void setValue(ELContext context, Object base, Object property, Object value) {
        // records are not changed; unresolved, which is an error
    }

    @Override
    public boolean isReadOnly(ELContext context, Object base, Object property) {
        return true;
    }

    @Override
    public @Nullable Class<?> getCommonPropertyType(ELContext context, Object base) {
        return base instanceof Record ? String.class : null;
    }
}
