import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Exported, readJsonExport, writeJson } from '../../../src/flashcards/formats/json'
import { ApiError } from '../../../src/http/api-error'
import { toZipSource } from '../../../src/lib/zip/read'
import { runs } from '../../support/full'
import { anyFact, bytesOf } from '../arbitrary'

const HEAD = { format: 'satchel-flashcards', version: 4 }
const fileOf = (...resources: unknown[]) => JSON.stringify({ ...HEAD, resources })
const read = (text: string, params: Parameters<typeof readJsonExport>[1] = {}) => [
  ...readJsonExport(toZipSource(bytesOf(text)), params),
]

async function written(resources: readonly Exported[]): Promise<string> {
  async function* each() {
    yield* resources
  }
  return (await Array.fromAsync(writeJson(each()))).join('')
}

describe('our own export', () => {
  const all: Exported[] = [
    { study_settings: { revision: 2 } },
    { deck: { id: 'd', parent_id: null } },
    { deck: { id: 'e', parent_id: 'd' } },
    { fact: { id: 'f' } },
    { card: { id: 'c' } },
    { review: { id: 'r' } },
    { media: { id: 'm' } },
  ]
  const types = all.flatMap((one) => Object.keys(one))

  test('is one JSON object with a line for each resource, and reads as it was written', async () => {
    const text = await written(all)
    expect(JSON.parse(text)).toEqual({ ...HEAD, resources: all })
    expect(text.split('\n')).toHaveLength(all.length + 3)
    expect(read(text)).toEqual(
      all.map((one, i) => ({ where: `resources[${i}]`, type: types[i] ?? '', value: Object.values(one)[0] })),
    )
    expect(read(await written([]))).toEqual([])
  })

  test('of any facts gives the same facts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFact, { maxLength: 4 }), async (facts) => {
        const found = read(await written(facts.map((fact) => ({ fact }))))
        expect(found.map(({ value }) => value)).toEqual(facts)
      }),
      { numRuns: runs(100) },
    )
  })

  test('keeps what is well formed, and reports what is not', () => {
    const wrong = [7, null, [], 'fact', {}, { odd: {} }, { fact: {}, card: {} }, [{ fact: {} }]]
    expect(read(fileOf({ fact: 1 }, ...wrong, { fact: {} }))).toEqual([
      // What a resource holds is checked where it is merged.
      { where: 'resources[0]', type: 'fact', value: 1 },
      ...wrong.map((_, i) => ({
        where: `resources[${i + 1}]`,
        type: 'resource',
        fault: { code: 'invalid_value', detail: `resources[${i + 1}] is not as exported.` },
      })),
      { where: 'resources[9]', type: 'fact', value: {} },
    ])
  })

  test('is read without its cards and their log where their schedule is to be dropped', () => {
    const kept = read(fileOf(...all), { scheduling: 'drop' }).map(({ type }) => type)
    expect(kept).toEqual(types.filter((type) => type !== 'card' && type !== 'review'))
    expect(read(fileOf(...all), { scheduling: 'keep' })).toHaveLength(all.length)
  })

  test('has its decks at the top go into the deck that is asked for, and nothing else', () => {
    const [settings, top, below, ...rest] = read(fileOf(...all, { deck: null }, { deck: [] }), { deck_id: 'x' })
    expect(top?.value).toEqual({ id: 'd', parent_id: 'x' })
    const others = [settings, below, ...rest].map((item) => item?.value)
    expect(others).toEqual([...all.filter((_, i) => i !== 1).map((one) => Object.values(one)[0]), null, []])
  })

  test('of the version before is read as well', () => {
    const former = fileOf({ fact: { id: 'f' } }).replace('"version":4', '"version":3')
    expect(read(former)).toMatchObject([{ type: 'fact', value: { id: 'f' } }])
  })

  test('of another format or version, or with its list missing, is refused', () => {
    for (const wrong of [
      { format: 'x' },
      { version: 2 },
      { version: 5 },
      { version: '4' },
      { resources: {} },
      { resources: null },
      { resources: undefined },
    ])
      expect(() => read(JSON.stringify({ ...HEAD, resources: [], ...wrong }))).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      )
    const far = fileOf({ fact: 1 }).replace('"resources":', `"resources":${' '.repeat(100)}`)
    expect(() => read(far)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    const broken = [',', '{},', ',{}', '{},,{}', '{} {}', '{', '}', '"', '[}', '{}]'].map((one) =>
      fileOf().replace('[]', `[${one}]`),
    )
    for (const one of broken) expect(() => read(one)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
    for (const other of ['null', '[]', '1', '"x"', '{}', '{', '']) expect(() => read(other)).toThrow(ApiError)
    expect(() => read('['.repeat(100_000))).toThrow(expect.objectContaining({ code: 'invalid_json' }))
  })

  test('is read alike however it is laid out, and in whatever pieces', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', ' ', 'é', 'resources') })
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.dictionary(text, fc.array(text)))
    const layout = fc.record({ indent: fc.constantFrom(undefined, 1, '\t'), piece: fc.integer({ min: 1, max: 40 }) })
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 5 }),
        fc.dictionary(text, value),
        layout,
        (values, more, { indent, piece }) => {
          const resources = values.map((fact) => ({ fact }))
          const { resources: _, ...beside } = more
          const file = toZipSource(bytesOf(JSON.stringify({ ...beside, resources, ...HEAD }, null, indent)))
          const read = (offset: number, length: number) => file.read(offset, Math.min(length, piece))
          const found = [...readJsonExport({ ...file, read }, {})]
          expect(found.map((item) => item.value)).toEqual(JSON.parse(JSON.stringify(values)))
        },
      ),
      { numRuns: runs(300) },
    )
  })

  test('may have a resource of some megabytes, but no larger one, nor so much beside them', () => {
    const large = (mib: number) => 'x'.repeat(mib * 1024 * 1024)
    expect(read(fileOf({ fact: large(3) }, { fact: 1 }))).toHaveLength(2)
    for (const text of [fileOf({ fact: large(5) }), JSON.stringify({ ...HEAD, beside: large(5), resources: [] })])
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  test('with anything anywhere is read or refused', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.boolean(), (value, isResource) => {
        try {
          for (const item of read(JSON.stringify({ ...HEAD, resources: isResource ? [value] : value })))
            expect(item.fault?.code ?? item.type).toBe('invalid_value')
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
      { numRuns: runs(200) },
    )
  })
})
