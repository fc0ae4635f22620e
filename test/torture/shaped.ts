import fc from 'fast-check'
import { asList, asObject, isObject, type JsonObject } from '../../src/openapi/json-schema'
import { resolve } from '../support/openapi'

/** Bodies by the document's schemas: as they should be, and as they should be but for one place. */

const DEEPEST = 5
const WORDS = fc.constantFrom('a', 'milk', 'Buy *milk* #home', '2026-03-31', '09:00', 'Europe/Lisbon', 'basic', 'today')

/** Values that fit a schema, as far as a schema tells. */
export function fitting(
  document: JsonObject,
  given: unknown,
  ids: fc.Arbitrary<string>,
  depth = 0,
): fc.Arbitrary<unknown> {
  const schema = resolve(document, given)
  const choices = [...asList(schema.anyOf), ...asList(schema.oneOf)]
  if (depth > DEEPEST) return fc.constant(null)
  if (choices.length > 0) return fc.oneof(...choices.map((choice) => fitting(document, choice, ids, depth + 1)))
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return fc.oneof(...types.map((type) => typed(document, schema, String(type), ids, depth)))
}

function typed(
  document: JsonObject,
  schema: JsonObject,
  type: string,
  ids: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<unknown> {
  const min = Number(schema.minimum ?? 0)
  const max = Number(schema.maximum ?? min + 100)
  if (type === 'integer') return fc.integer({ min, max: Math.max(min, max) })
  if (type === 'number') return fc.double({ min, max: Math.max(min, max), noNaN: true })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'array') return fc.array(fitting(document, schema.items, ids, depth + 1), { maxLength: 3 })
  if (type === 'object') return record(document, schema, ids, depth)
  if (schema.format === 'uuid' || String(schema.pattern ?? '').includes('[0-9a-f]{12}')) return ids
  const samples = asList(schema.examples).filter((sample) => typeof sample === 'string')
  return samples.length > 0 ? fc.oneof(fc.constantFrom(...samples), WORDS) : WORDS
}

function record(document: JsonObject, schema: JsonObject, ids: fc.Arbitrary<string>, depth: number) {
  const members = Object.entries(asObject(schema.properties)).map(([name, member]): [string, fc.Arbitrary<unknown>] => [
    name,
    fitting(document, member, ids, depth + 1),
  ])
  const requiredKeys = asList(schema.required).filter((name) => members.some(([known]) => known === name)) as string[]
  // Whole and bare ones; of those in between a few members.
  return fc.oneof(
    fc.record(Object.fromEntries(members), { requiredKeys }),
    fc.record(Object.fromEntries(members.filter(([name]) => requiredKeys.includes(name)))),
  )
}

/** How one place of a value is spoiled. */
export interface Flaw {
  readonly at: number
  readonly how: 'replace' | 'drop' | 'add' | 'wrap'
  readonly value: unknown
}

export const flaws = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Flaw> =>
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'replace', 'replace', 'drop', 'add', 'wrap'),
    value: values,
  })

/** A copy of the value with one place spoiled. */
export function spoiled(value: unknown, { at, how, value: by }: Flaw): unknown {
  const whole = { root: structuredClone(value) }
  const places = placesOf(whole)
  const place = places[at % places.length]
  if (!place) return by
  const { holder, name } = place
  if (how === 'replace') holder[name] = by
  else if (how === 'wrap') holder[name] = [holder[name]]
  else if (how === 'add') holder[`${String(name)}_${typeof by === 'string' ? by : ''}`] = by
  else delete holder[name]
  return whole.root ?? null
}

type Holder = Record<string | number, unknown>

function placesOf(holder: object): { holder: Holder; name: string | number }[] {
  return Object.entries(holder).flatMap(([name, value]) => [
    { holder: holder as Holder, name },
    ...(isObject(value) || Array.isArray(value) ? placesOf(value) : []),
  ])
}
