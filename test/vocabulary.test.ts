import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { isObject, type JsonObject } from '../src/openapi/json-schema'
import { ratchet } from './support/budgets'
import { makeWorld } from './support/world'

/** What docs/glossary.md promises, as far as a machine can check it. */

const ROOT = join(import.meta.dir, '..')
const read = (path: string) => Bun.file(join(ROOT, path)).text()
const paths = (...patterns: string[]) =>
  patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]).toSorted()

/** Words of the code's former private language, and what to say. Whole words, as they are written here. */
const PRIVATE: Readonly<Record<string, string>> = {
  Refusal: 'ApiError',
  Keeper: 'Gate',
  Desk: 'GateDeps',
  Visit: 'RequestContext',
  Holder: 'ApiKey',
  rehearse: 'dry run',
  rehearsal: 'dry run',
  anew: 'again',
  whoever: 'who, anybody who',
  'asked for': 'requested, wanted',
  told: 'reported, answered, named',
  stands: 'is',
  stood: 'was',
  shelf: 'range of rows',
  portable: 'archived',
}

/**
 * Phrases that read like a translation (docs/glossary.md says what a native writer would use). `that is` and the like
 * are right in some sentences, so areas have ceilings and are not at zero.
 */
const GIVEAWAYS =
  /\b(?:anew|asked for|besides|by hand|called so|comes to|held by|in its place|is told|made of it|meanwhile|nobody|somebody|of its own|once more|stands|takes along|that is|what is left|whatever|whoever)\b|\bbehind\b(?! (?:a|an|the|nginx|HAProxy|proxies) )|(?:^|\. )No longer\b|(?:^|\. )Who [a-z]+s\b/gim

/** How many giveaways each area may have. A commit may lower a ceiling; none may raise it. */
const CEILINGS: Readonly<Record<string, number>> = {
  'app/': 147,
  'public/': 19,
  'names of tests': 637,
  'README.md': 5,
  'docs/': 45,
  'CHANGELOG.md': 0,
}

/** Where a text has a giveaway: `line: phrase` for each. */
function giveaways(text: string): string[] {
  return [...text.matchAll(GIVEAWAYS)].map(({ 0: phrase, index }) => `${lineOf(text, index)}: ${phrase.trim()}`)
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** The names that a file gives to its tests and groups of tests, each on a line. */
function testNames(text: string): string {
  const calls = /(?:\b(?:test|slow|describe)(?:\.\w+)?\(|\]\)\(|\w\)\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g
  return [...text.matchAll(calls)].map(([, , name]) => name).join('\n')
}

/** The text of each file of an area, by path. */
async function textsOf(area: string): Promise<[path: string, text: string][]> {
  const files = {
    'app/': paths('app/**/*.{ts,tsx,html}'),
    'public/': paths('public/*.{js,html}'),
    'names of tests': paths('test/**/*.{test,slow,server,browser}.ts'),
    'docs/': paths('docs/**/*.md').filter((path) => path !== 'docs/glossary.md'),
  }
  const found = area in files ? files[area as keyof typeof files] : [area]
  return Promise.all(
    found.map(async (path): Promise<[string, string]> => {
      const text = await read(path)
      return [path, area === 'names of tests' ? testNames(text) : text]
    }),
  )
}

/** Names of members and parameters that the API has another word for, and that. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  trashed_at: 'deleted_at',
  tz: 'time_zone',
  timezone: 'time_zone',
  external_id: 'source.id',
  source_url: 'source.url',
  source_note_id: 'note_ids',
}

/** The files that hold the words of the code. Those of the grammar hold the words that people type. */
function withoutGrammar(files: readonly string[]): string[] {
  return files.filter((path) => !path.startsWith('src/chat/local/grammar/'))
}

/** Names of members and parameters in an OpenAPI document that are of OTHER_NAMES. What examples hold is data. */
function otherNames(document: unknown): string[] {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one)
    if (!isObject(node)) return
    const own = [...Object.keys(isObject(node.properties) ? node.properties : {}), ...('in' in node ? [node.name] : [])]
    for (const name of own) if (typeof name === 'string' && Object.hasOwn(OTHER_NAMES, name)) found.add(name)
    for (const [name, value] of Object.entries(node)) if (!/^(examples?|default|enum|const)$/.test(name)) visit(value)
  }
  visit(document)
  return [...found].toSorted()
}

/** The private words of a text, each with its line. */
function privateWords(text: string): string[] {
  const pattern = new RegExp(`\\b(${Object.keys(PRIVATE).join('|')})\\b`)
  return text.split('\n').flatMap((line, i) => {
    const word = pattern.exec(line)?.[1]
    return word ? [`${i + 1}: ${word} (say ${PRIVATE[word]})`] : []
  })
}

describe('the glossary', () => {
  test('has at most 60 terms, each once, with what to avoid', async () => {
    const rows = (await read('docs/glossary.md')).split('\n').filter((line) => /^\| (?!say|---)/.test(line))
    const terms = rows.map((row) => row.split('|').map((cell) => cell.trim()))
    expect(rows.length).toBeLessThanOrEqual(60)
    expect(terms.filter(([, term, meaning, avoid]) => !term || !meaning || !avoid)).toEqual([])
    const names = terms.map(([, term]) => term)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  test('is the language of src/: no word of a private one', async () => {
    const found = await Promise.all(
      withoutGrammar(paths('src/**/*.ts')).map(async (path) =>
        privateWords(await read(path)).map((word) => `${path}:${word}`),
      ),
    )
    expect(found.flat()).toEqual([])
  })

  test.each([
    'const error = new Refusal()',
    '/** Is told of each request. */',
    '// What stands behind it.',
    '/** Read anew each time. */',
  ])('%s: such a word is noticed', (line) => {
    expect(privateWords(line)).toHaveLength(1)
  })

  test.each([
    'const standing = understands(shelfless)',
    '/** A standard refusal, retold. */',
    'const toldest = importable',
  ])('%s: what only looks like one is left alone', (line) => {
    expect(privateWords(line)).toEqual([])
  })
})

describe('what people read', () => {
  test.each(Object.entries(CEILINGS))('%s: at most %i giveaways', async (area, ceiling) => {
    const texts = await textsOf(area)
    expect(texts.length).toBeGreaterThan(0)
    const found = texts.flatMap(([path, text]) => giveaways(text).map((place) => `${path}:${place}`))
    const faults = ratchet(area, found.length, ceiling)
    expect(found.length > ceiling ? [...faults, ...found] : faults).toEqual([])
  })

  test.each([
    'The list is told of it.',
    'A note of its own',
    'No longer in the list',
    'Who returns finds it.',
    'What is behind it',
    'It comes to: 475 created.',
  ])('noticed: %s', (text) => expect(giveaways(text)).toHaveLength(1))

  test.each([
    'Runs behind a proxy',
    'It no longer waits.',
    'People who return find it.',
    'She understands it',
    'Nothing else',
  ])('left alone: %s', (text) => expect(giveaways(text)).toEqual([]))

  test.each([
    ["test('a name', () => {})", 'a name'],
    ["describe('a group', () => {})", 'a group'],
    ["test.each([[1]])('%i: a case', (n) => {})", '%i: a case'],
    ["test.skipIf(!on)('a condition', () => {})", 'a condition'],
    ["send('a note', body)", ''],
  ])('names of tests: %s', (text, names) => expect(testNames(text)).toBe(names))
})

describe('the API', () => {
  test('calls one thing by one name', async () => {
    const world = await makeWorld()
    const { body } = await world.call({}, 'GET', '/openapi.json')
    await world.close()
    expect(otherNames(body)).toEqual([])
  })

  const properties = (names: JsonObject) => ({
    components: { schemas: { Note: { type: 'object', properties: names } } },
  })

  test.each([
    ['a member', properties({ trashed_at: { type: 'string' } }), 'trashed_at'],
    ['a member of a member', properties({ a: { type: 'object', properties: { tz: {} } } }), 'tz'],
    ['a parameter', { paths: { '/a': { get: { parameters: [{ in: 'query', name: 'timezone' }] } } } }, 'timezone'],
  ])('another name is noticed: %s', (_, document, name) => {
    expect(otherNames(document)).toEqual([name])
  })

  test.each([
    ['the name itself', properties({ deleted_at: {}, time_zone: {}, note_ids: {} })],
    ['a name that holds one', properties({ quartz: {}, tz_offset: {} })],
    ['data of an example', { schema: { properties: { a: {} }, examples: [{ properties: { tz: 1 }, in: 1 }] } }],
    ['a name of something else', { tags: [{ name: 'tz' }] }],
  ])('what is left alone: %s', (_, document) => {
    expect(otherNames(document)).toEqual([])
  })
})
