import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillForm, putKey, SAMPLE_BASE, SAMPLE_KEY, SAMPLE_LANGUAGES, writeSample } from '../../public/docs-samples.js'
import type { JsonObject } from '../../src/openapi/json-schema'
import { type RequestForm, renderOperation, sampleRequest } from '../../src/openapi/operation-html'
import { type Operation, readGroups } from '../../src/openapi/reference-model'
import { FULL } from '../support/full'
import { makeKey, makeWorld } from '../support/world'

/** Every sample of the reference is run: through a server that notes what arrives and asks the real one. */

type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]

interface Arrival {
  readonly line: string
  readonly headers: Headers
  readonly body: string
  readonly status: number
}

const folder = mkdtempSync(join(tmpdir(), 'satchel-samples-'))
const world = await makeWorld({ settings: { API_LIMIT_PER_HOUR: '100000', FREE_LIMIT_PER_HOUR: '100000' } })
const base = world.listen().slice(0, -1)
const document = (await (await fetch(`${base}/docs/json`)).json()) as JsonObject
const operations = readGroups(document).flatMap((group) => group.operations)
const arrivals: Arrival[] = []
const between = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 60,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const body = await request.bytes()
    const headers = new Headers(request.headers)
    headers.delete('Accept-Encoding')
    const sent = body.length > 0 ? { body } : {}
    const end = new AbortController()
    const plain = new Headers(headers)
    plain.set('Accept-Encoding', 'identity')
    const asked = { method: request.method, headers: plain, signal: end.signal, ...sent }
    const response = await fetch(base + pathname + search, asked)
    const line = `${request.method} ${pathname}${search}`
    arrivals.push({ line, headers, body: new TextDecoder().decode(body), status: response.status })
    if (!pathname.endsWith('/stream')) return response
    // A stream has no end: what matters is that it begins.
    end.abort()
    return new Response(': begun\n\n', { headers: response.headers })
  },
})

beforeAll(() => {
  for (const name of ['export.zip', 'note.md', 'tasks.ics', 'cards.apkg', 'lisbon map.png', 'picture.png'])
    writeFileSync(join(folder, name), `the content of ${name}`)
})
afterAll(async () => {
  await between.stop(true)
  await world.close()
  rmSync(folder, { recursive: true })
})

const keyOf = (language: SampleLanguage) => makeKey(SAMPLE_LANGUAGES.indexOf(language))
const sampleOf = (language: SampleLanguage, operation: Operation, key: string | null) =>
  writeSample(language, sampleRequest(operation), key, between.url.origin)

/** Makes the deck into which the sample of a fact is put. */
async function makeDeck(key: string | null) {
  await fetch(`${base}/api/flashcards/decks`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { 'X-API-Key': key }) },
    body: JSON.stringify({ id: '01980000-0000-7000-8000-0000000000e0', name: 'Geography' }),
  })
}

/** One program that runs all samples of a language one after the other, whatever each answers. */
function programOf(language: SampleLanguage, key: string | null): { command: string[]; source: string; file: string } {
  const sources = operations.map((operation) => sampleOf(language, operation, key))
  if (language === 'curl') return { command: ['sh'], file: 'all.sh', source: sources.join('\n') }
  if (language === 'Python') {
    const source = sources.map(
      (one) => `try:\n    exec(${JSON.stringify(one)})\nexcept urllib.error.HTTPError:\n    pass`,
    )
    return { command: ['python3'], file: 'all.py', source: `import urllib.error\n${source.join('\n')}` }
  }
  for (const [at, one] of sources.entries()) writeFileSync(join(folder, `sample-${at}.ts`), `${one}\nexport {}\n`)
  const source = sources.map(
    (_, at) =>
      `await import('./sample-${at}.ts').catch((error) => { if (!(error instanceof SyntaxError)) throw error })`,
  )
  return { command: [process.execPath], file: 'all.ts', source: source.join('\n') }
}

async function run(language: SampleLanguage, key: string | null): Promise<string> {
  const { command, file, source } = programOf(language, key)
  writeFileSync(join(folder, file), source)
  const child = Bun.spawn([...command, file], { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  const errors = await new Response(child.stderr).text()
  return (await child.exited) === 0 ? '' : errors
}

/** Whether a request is to the address that the document has for an operation. */
function isOf({ method, path }: Operation, line: string): boolean {
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/?]+')
  return new RegExp(`^${method} ${pattern}(?:\\?.*)?$`).test(line)
}

describe.each(SAMPLE_LANGUAGES)('the samples in %s', (language) => {
  test.each([['with a key', keyOf(language)], ...(FULL ? [['without a key', null] as const] : [])])(
    'send what the document says %s, and the server takes it',
    async (_, key) => {
      arrivals.length = 0
      await makeDeck(key)
      const errors = await run(language, key)
      expect(arrivals.length, errors).toBe(operations.length)
      const wrong = operations.flatMap((operation, at) => {
        const arrival = arrivals[at]
        if (!arrival || !isOf(operation, arrival.line)) return [`${operation.id} sent ${arrival?.line}`]
        const isKnown = operation.answers.some(({ status }) => status === arrival.status) || arrival.status >= 400
        const expected = sampleRequest(operation).body
        const isSame = !expected || 'file' in expected || Bun.deepEquals(JSON.parse(arrival.body), expected.json)
        if (!isSame) return [`${operation.id} sent ${arrival.body}`]
        // An import refuses what is no file of its kind; as an attachment any file will do.
        const isImport = expected && 'file' in expected && operation.path.endsWith('/import')
        const refused = [400, 405, 415, 500].includes(arrival.status) && !isImport
        const needsKey = key === null && operation.id === 'adoptScratchSpace'
        return needsKey || (isKnown && !refused)
          ? []
          : [`${operation.id} got ${arrival.status} for ${arrival.line} ${arrival.body}`]
      })
      expect(wrong).toEqual([])
      for (const { headers } of arrivals) expect(headers.get('X-API-Key')).toBe(key)
    },
  )

  test('are the same with the key of the pages and without one, but for one piece that is left out', () => {
    for (const operation of operations) {
      const request = sampleRequest(operation)
      const [whole, bare] = [writeSample(language, request), writeSample(language, request, null)]
      expect(whole).toContain(SAMPLE_BASE)
      expect(bare).not.toContain('X-API-Key')
      const html = renderOperation(operation, '../')
      const [, before = '', piece = '', after = ''] =
        html.match(new RegExp(`data-language="${language}".*?<code>([^<]*)<span>([^<]*)</span>([^<]*)</code>`, 's')) ??
        []
      expect(piece).toContain(SAMPLE_KEY)
      expect([before + piece + after, before + after]).toEqual([Bun.escapeHTML(whole), Bun.escapeHTML(bare)])
    }
  })
})

/** Keys that other programs made may be any visible ASCII characters. */
const ODD_KEYS = ["it's-mine", 'a"quoted"b', 'back\\slash\\', "$&$'$`$1$$", '$HOME`id`!!']

describe.each(SAMPLE_LANGUAGES)('a key with marks of %s in it', (language) => {
  test.each([makeKey(7), ...ODD_KEYS])('%s is put into a sample as it is', (key) => {
    for (const operation of operations.slice(0, 20)) {
      const request = sampleRequest(operation)
      expect(putKey(language, writeSample(language, request), key)).toBe(writeSample(language, request, key))
    }
  })
})

test.each(ODD_KEYS)('the program of a shell sends the key %s', async (key) => {
  const [operation] = operations.filter(({ id }) => id === 'listNotes')
  if (!operation) throw new Error('notes are listed')
  arrivals.length = 0
  const sample = writeSample('curl', sampleRequest(operation), SAMPLE_KEY, between.url.origin)
  await Bun.spawn(['sh', '-c', putKey('curl', sample, key)], { stdout: 'ignore', stderr: 'ignore' }).exited
  expect(arrivals.map(({ headers }) => headers.get('X-API-Key'))).toEqual([key])
})

test('the key of the pages is refused, so that nobody shares a workspace by pasting it', async () => {
  const answer = await world.call({ key: SAMPLE_KEY }, 'GET', '/api/notes')
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_api_key'])
})

describe('a form', () => {
  const form: RequestForm = {
    method: 'GET',
    path: '/api/things/{id}',
    fields: [
      { name: 'id', place: 'path', isRequired: true, isList: false, choices: [], value: 'one/two' },
      { name: 'tag', place: 'query', isRequired: false, isList: true, choices: [], value: 'a' },
      { name: 'If-Match', place: 'header', isRequired: false, isList: false, choices: [], value: '"1"' },
    ],
    body: null,
    answer: 'json',
  }

  test.each([
    [undefined, '/api/things/one%2Ftwo', {}],
    [['x', '', ''], '/api/things/x', {}],
    [['x', ' a b \n\n&c', '"2"'], '/api/things/x?tag=a+b&tag=%26c', { 'If-Match': '"2"' }],
  ])('with the values %j asks for %s', (values, path, headers) => {
    expect(fillForm(form, values)).toEqual({ method: 'GET', path, headers, body: null, answer: 'json' })
  })

  test.each(['notes', 'study', 'chat', 'changes', 'server'])(
    'is there for each call of %s, and for no others',
    async (slug) => {
      const forms = await (await fetch(`${base}/docs/forms/${slug}`)).json()
      const group = readGroups(document).find((one) => one.slug === slug)
      expect(Object.keys(forms)).toEqual(group?.operations.map(({ id }) => id) ?? [])
      for (const operation of group?.operations ?? [])
        expect(fillForm(forms[operation.id])).toEqual(sampleRequest(operation))
    },
  )

  test.each(['nothing', 'Notes', 'errors', 'forms', 'guides'])('is not there for %s', async (slug) => {
    expect((await fetch(`${base}/docs/forms/${slug}`)).status).toBe(404)
  })
})
