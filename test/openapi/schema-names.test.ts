import { describe, expect, test } from 'bun:test'
import { withReferences } from '../../src/openapi/schema-names'

const note = { type: 'object', description: 'One note.', properties: { id: { type: 'string' } } }
const { description: _, ...bare } = note
const REFERENCE = { $ref: '#/components/schemas/Note' }

const shownAs = async (schema: object, schemas: object = { Note: note }) => {
  const document = await withReferences({ paths: { '/a': { schema } }, components: { schemas } })
  return (document as { paths: Record<string, { schema: unknown }> }).paths['/a']?.schema
}

describe('an object of the document', () => {
  test('is referred to where it is a named schema', async () => {
    expect(await shownAs(note)).toEqual(REFERENCE)
  })

  test('is referred to without the description that its answer took over', async () => {
    expect(await shownAs(bare)).toEqual(REFERENCE)
    expect(await shownAs({ type: 'array', items: bare })).toEqual({ type: 'array', items: REFERENCE })
  })

  test('belongs to the schema exactly like it before one with a description', async () => {
    expect(await shownAs(bare, { Note: note, Bare: bare })).toEqual({ $ref: '#/components/schemas/Bare' })
    expect(await shownAs(bare, { Bare: bare, Note: note })).toEqual({ $ref: '#/components/schemas/Bare' })
  })

  test.each([
    { ...note, description: 'Another note.' },
    { ...note, properties: { id: { type: 'number' } } },
    { ...bare, examples: [{ id: 'a' }] },
  ])('is left as it is where it differs (%#)', async (other) => {
    expect(await shownAs(other)).toEqual(other)
  })
})
