import type { Json, JsonObject, JsonSchema } from '../api/types.ts';
import { FieldGroup } from './FieldGroup.tsx';
import { fieldGroups } from './patchFields.ts';
import { SchemaField } from './SchemaField.tsx';

interface PropertyFormProps {
  readonly schema: JsonSchema;
  readonly properties: JsonObject;
  readonly onChange: (properties: JsonObject) => void;
}

/** The properties of a processor, a control for each member of its JSON Schema. */
export const PropertyForm = ({ schema, properties, onChange }: PropertyFormProps) => {
  const groups = fieldGroups(schema, properties, (path) => path.join('/'));
  if (groups.length === 0)
    return (
      <SchemaField label="Properties" schema={OBJECT} value={properties} onChange={(value) => onChange(isObject(value) ? value : {})} />
    );
  return (
    <>
      {groups.map((group) => (
        <FieldGroup
          key={group.title}
          group={group}
          currentOf={({ value }) => value}
          onChange={({ path }, value) => onChange(withValue(properties, path, value))}
        />
      ))}
    </>
  );
};

const OBJECT: JsonSchema = { type: 'object', description: 'The declaration describes no members.' };

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** With another value at a path. A member without a value is left out, and so is an object that is empty then. */
const withValue = (object: JsonObject, [name, ...rest]: readonly string[], value: Json | undefined): JsonObject => {
  if (name === undefined) return object;
  const { [name]: before, ...others } = object;
  if (rest.length === 0) return value === undefined ? others : { ...object, [name]: value };
  const inner = withValue(isObject(before) ? before : {}, rest, value);
  return Object.keys(inner).length === 0 ? others : { ...object, [name]: inner };
};
