import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { t } from 'elysia'
import fc from 'fast-check'
import { asObject, toJsonSchema } from '../../src/openapi/json-schema'
import { runs } from '../support/full'

const scalar = fc.constantFrom<(string | number | boolean)[]>('a', 'b', 1, 2, true)
const leaf: fc.Arbitrary<TSchema> = fc.oneof(
  scalar.map((value) => Type.Literal(value)),
  fc.constantFrom(Type.Null(), Type.String(), Type.Integer(), Type.Boolean(), Type.Number({ minimum: 2 })),
)
const { schema } = fc.letrec<{ schema: TSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((some) => Type.Union(some)),
    tie('schema').map((inner) => Type.Union([inner, Type.Null()], { description: 'Or nothing.' })),
    tie('schema').map((inner) => Type.Array(inner)),
    fc.tuple(tie('schema'), tie('schema')).map((pair) => Type.Tuple(pair)),
    fc
      .tuple(tie('schema'), tie('schema'))
      .map(([a, b]) => Type.Object({ a, error: Type.Optional(b) }, { additionalProperties: false })),
  ),
}))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.constantFrom<unknown[]>(null, 1.5, 'c'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ a: tie('value'), error: tie('value'), b: tie('value') }, { requiredKeys: [] }),
  ),
}))

test('what is written accepts exactly what the schema accepts', () => {
  const ajv = new Ajv2020({ strictSchema: true, strictTypes: false, strictTuples: true, addUsedSchema: false })
  const property = fc.property(schema, fc.array(value, { minLength: 10, maxLength: 10 }), (one, values) => {
    const check = ajv.compile(asObject(toJsonSchema(one)))
    for (const sample of [...values, Value.Create(one)]) expect(check(sample)).toBe(Value.Check(one, sample))
  })
  fc.assert(property, { numRuns: runs(200) })
})

test.each([
  ['t.Integer', t.Integer({ minimum: 1 }), { type: 'integer', minimum: 1 }],
  ['t.Nullable', t.Nullable(t.String()), { type: ['string', 'null'] }],
  ['t.UnionEnum', t.UnionEnum(['a', 'b']), { type: 'string', enum: ['a', 'b'], default: 'a' }],
  [
    'an enum or null',
    Type.Union([Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'One of two.' }), Type.Null()]),
    { type: ['string', 'null'], enum: ['a', 'b', null], description: 'One of two.' },
  ],
  [
    'a value named twice',
    Type.Union([Type.Null(), Type.Null(), Type.Literal('a')]),
    { type: ['null', 'string'], enum: [null, 'a'] },
  ],
  ['a literal or null', Type.Union([Type.Literal(1), Type.Null()]), { type: ['number', 'null'], enum: [1, null] }],
  ['t.MaybeEmpty', t.MaybeEmpty(t.String()), { type: ['string', 'null'] }],
  ['one text with an error of its own', t.String({ error: 'no' }), { type: 'string' }],
  ['a record', Type.Record(Type.String(), t.Integer()), { type: 'object', additionalProperties: { type: 'integer' } }],
  ['an old example', Type.String({ example: 'x' }), { type: 'string', examples: ['x'] }],
  ['data that looks like a schema', Type.Any({ default: { $id: 1 } }), { default: { $id: 1 } }],
])('%s is written plainly', (_, written, expected) => {
  expect(JSON.parse(JSON.stringify(toJsonSchema(written)))).toEqual(expected)
})

test('documented replaces all of a schema but what it tells people', () => {
  const limit = Type.String({
    pattern: '^[1-9]$',
    documented: { type: 'integer', minimum: 1 },
    description: 'How many.',
  })
  const shown = { type: 'integer', minimum: 1, description: 'How many.' }
  expect(toJsonSchema(limit)).toEqual(shown)
  expect(toJsonSchema(Type.Union([limit, Type.Null()]))).toEqual({ ...shown, type: ['integer', 'null'] })
  const flag = Type.Union([Type.Literal('true'), Type.Literal('false')], {
    documented: { type: 'boolean' },
    examples: [true],
  })
  expect(toJsonSchema(Type.Array(flag))).toEqual({ type: 'array', items: { type: 'boolean', examples: [true] } })
})
