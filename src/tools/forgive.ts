import type { TSchema } from '@sinclair/typebox'

/**
 * Mends arguments as agents send them, where it is clear what they mean: optional members without a value are left out,
 * numbers and words for true and false may be texts, choices may have capitals, one value is a list of one, and lists and objects may be their JSON.
 * What is empty stays where a schema names it: `minLength: 0` of a text, `minItems: 0` of a list, or null among types.
 * What fits no schema stays as it is, and is refused by the check.
 */
export function forgive(schema: TSchema, value: unknown): unknown {
  if (schema.type === 'array') return forgiveList(schema, parseJson(value))
  if (schema.type === 'object') return forgiveObject(schema, parseJson(value))
  if (typeof value !== 'string') return value
  if (Array.isArray(schema.enum)) return schema.enum.find((one) => String(one) === value.trim().toLowerCase()) ?? value
  if (schema.type === 'integer' && /^\s*-?\d{1,15}(?:\.0+)?\s*$/.test(value)) return Number(value)
  if (schema.type === 'boolean' && /^(?:true|false)$/i.test(value.trim())) return value.trim().toLowerCase() === 'true'
  return value
}

function forgiveList(schema: TSchema, value: unknown): unknown {
  if (value === null || value === undefined) return value
  const items: unknown[] = Array.isArray(value) ? value : [value]
  return items.map((item) => forgive(schema.items, item))
}

function forgiveObject(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const required: readonly string[] = schema.required ?? []
  const members = Object.entries(value).flatMap(([name, member]) => {
    const own = Object.hasOwn(schema.properties, name) ? (schema.properties[name] as TSchema) : null
    if (own === null) return [[name, member]]
    return !required.includes(name) && isLeftOut(own, member) ? [] : [[name, forgive(own, member)]]
  })
  return Object.fromEntries(members)
}

/** Whether a value means none. */
function isLeftOut({ type, minLength, minItems }: TSchema, value: unknown): boolean {
  if (value === null) return !(Array.isArray(type) && type.includes('null'))
  if (value === '') return minLength !== 0
  return Array.isArray(value) && value.length === 0 && minItems !== 0
}

/** Parses a text that is the JSON of a list or an object; returns anything else as it is. */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) return value
    throw error
  }
}
