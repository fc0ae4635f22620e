import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TEMPORARY } from '../support/temporary'
import { makeVectors } from '../support/vectors'
import { MANY_CALLERS, makeWorld } from '../support/world'

/** The curl lines of Ollama's API page, each run by curl as it was pasted: only the host and the model are others. */

const vectors = makeVectors()
const world = await makeWorld({
  settings: { ...MANY_CALLERS, ...vectors.settings, FREE_LIMIT_PER_HOUR: '1000' },
})
const host = world.listen().slice(0, -1)
const folder = mkdtempSync(join(TEMPORARY, 'satchel-curl-'))
await Bun.write(join(folder, '.curlrc'), 'silent\nwrite-out = "\\n%{http_code} %{content_type}"\n')
await Bun.write(join(folder, 'model.gguf'), 'GGUF')
await fetch(`${host}/api/notes`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ title: 'Sky', body: 'The sky is blue because air scatters blue light the most.' }),
})

afterAll(async () => {
  await world.close()
  await vectors.stop()
  rmSync(folder, { recursive: true })
})

const page = await Bun.file(`${import.meta.dir}/ollama-page.md`).text()
const LINES = [...page.matchAll(/^## (.*)\n\n```shell\n([\s\S]*?)\n```/gm)].map(([, name = '', line = '']) => ({
  name,
  line,
}))

interface Output {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Runs a line in a shell, as a person would who pasted it. */
function paste(line: string): Promise<Output> {
  return run(line, host, /\/api\/embed/.test(line) ? 'small-vectors:latest' : 'satchel-local:latest')
}

async function run(line: string, server: string, named: string): Promise<Output> {
  const ours = line.replace('http://localhost:11434', server).replace(/"model": "[^"]*"/, `"model": "${named}"`)
  const child = Bun.spawn(['sh', '-c', ours], { cwd: folder, env: { PATH: Bun.env.PATH, CURL_HOME: folder } })
  const output = await new Response(child.stdout).text()
  const [, text = '', status, type = ''] = /^([\s\S]*)\n(\d+) (.*)$/.exec(output) ?? []
  return { status: Number(status), type, text }
}

type Check = (output: Output, name: string) => void

/** The whole text of an answer in the member that the call has for it, and the last object. */
const isAnswered: Check = ({ status, type, text }, name) => {
  expect([status, type]).toEqual([200, 'application/json;charset=utf-8'])
  const answer = JSON.parse(text)
  expect(answer).toMatchObject({ model: 'satchel-local', done: true, done_reason: 'stop' })
  const said = name.includes('chat') ? answer.message.content : answer.response
  expect(said).toMatch(/\S/)
  expect(answer.total_duration).toBeNumber()
}

const quotesTheNote: Check = (output, name) => {
  isAnswered(output, name)
  expect(output.text).toContain('The sky is blue because air scatters blue light the most.')
}

const isLoaded =
  (done_reason: 'load' | 'unload'): Check =>
  ({ status, text }, name) => {
    const empty = name.includes('chat') ? { message: { role: 'assistant', content: '' } } : { response: '' }
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { model: 'satchel-local', created_at, ...empty, done: true, done_reason },
    ])
  }

const isRefused =
  (expected: number, code: string, sentence: string): Check =>
  ({ status, type, text }) => {
    expect([status, type]).toEqual([expected, 'application/json'])
    const { error, ...rest } = JSON.parse(text)
    expect(error).toStartWith(sentence)
    expect(rest).toMatchObject({ code, request_id: expect.any(String) })
  }

const notOffered = (name: string) => isRefused(400, 'unsupported_parameter', `${name} `)
const noRoute = isRefused(404, 'not_found', 'There is nothing at this path.')
const needsJson = isRefused(415, 'unsupported_media_type', 'Send the body as Content-Type: application/json.')

const isListed: Check = ({ status, text }) => {
  const details = { format: '', family: 'satchel', families: ['satchel'], parameter_size: '', quantization_level: '' }
  expect([status, JSON.parse(text).models]).toEqual([
    200,
    [
      {
        name: 'satchel-local:latest',
        model: 'satchel-local:latest',
        modified_at: expect.any(String),
        size: 0,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: { parent_model: '', ...details },
      },
    ],
  ])
}

/** What each line gets. A line that is missing here, and one that is no longer on the page, fail. */
const EXPECTED: Readonly<Record<string, Check>> = {
  'Generate a completion > Generate request (Streaming)': quotesTheNote,
  'Generate a completion > Request (No streaming)': quotesTheNote,
  'Generate a completion > Request (with suffix)': notOffered('suffix'),
  'Generate a completion > Request (Structured outputs)': notOffered('format'),
  'Generate a completion > Request (JSON mode)': notOffered('format'),
  'Generate a completion > Request (with images)': notOffered('images'),
  'Generate a completion > Request (Raw Mode)': (output, name) => {
    isAnswered(output, name)
    expect(JSON.parse(output.text).warnings).toContain('ignored:raw')
  },
  'Generate a completion > Request (Reproducible outputs)': quotesTheNote,
  'Generate a completion > Generate request (With options)': (output, name) => {
    isAnswered(output, name)
    expect(JSON.parse(output.text).warnings).toContain('ignored:num_ctx')
  },
  'Generate a completion > Load a model': isLoaded('load'),
  'Generate a completion > Unload a model': isLoaded('unload'),
  'Generate a chat completion > Chat request (Streaming)': quotesTheNote,
  'Generate a chat completion > Chat request (Streaming with tools)': notOffered('tools'),
  'Generate a chat completion > Chat request (No streaming)': quotesTheNote,
  'Generate a chat completion > Chat request (No streaming, with tools)': notOffered('tools'),
  'Generate a chat completion > Chat request (Structured outputs)': notOffered('format'),
  'Generate a chat completion > Chat request (With History)': isAnswered,
  // It holds comments, so it is no JSON for Ollama either.
  'Generate a chat completion > Chat request (With history, with tools)': isRefused(400, 'invalid_json', 'The body'),
  'Generate a chat completion > Chat request (with images)': notOffered('images'),
  'Generate a chat completion > Chat request (Reproducible outputs)': isAnswered,
  'Generate a chat completion > Chat request (with tools)': notOffered('tools'),
  'Generate a chat completion > Load a model': isLoaded('load'),
  'Generate a chat completion > Unload a model': isLoaded('unload'),
  'Create a Model > Create a new model': noRoute,
  'Create a Model > Quantize a model': noRoute,
  'Create a Model > Create a model from GGUF': noRoute,
  'Create a Model > Create a model from a Safetensors directory': noRoute,
  'Check if a Blob Exists': ({ status, type }) => expect([status, type]).toEqual([404, 'application/json']),
  'Push a Blob': noRoute,
  'List Local Models': isListed,
  'Show Model Information': needsJson,
  'Copy a Model': noRoute,
  'Delete a Model': noRoute,
  'Pull a Model': noRoute,
  'Push a Model': noRoute,
  'Generate Embeddings': needsJson,
  'Generate Embeddings > Request (Multiple input)': needsJson,
  'List Running Models': ({ status, text }) => expect([status, JSON.parse(text)]).toEqual([200, { models: [] }]),
  'Generate Embedding': needsJson,
  Version: ({ status, text }) => expect([status, JSON.parse(text).version]).toEqual([200, '0.12.0']),
}

test('every line of the page is here, and no other', () => {
  expect(LINES.map(({ name }) => name)).toEqual(Object.keys(EXPECTED))
})

test.each(LINES)('$name', async ({ name, line }) => {
  const output = await paste(line)
  expect(output.status).toBeWithin(200, 500)
  EXPECTED[name]?.(output, name)
})

/** What the lines say that are refused for their media type, once they name it. */
const WITH_TYPE: Readonly<Record<string, object>> = {
  'Show Model Information': { capabilities: ['completion'] },
  'Generate Embeddings': { model: 'small-vectors', embeddings: [expect.any(Array)] },
  'Generate Embeddings > Request (Multiple input)': { embeddings: [expect.any(Array), expect.any(Array)] },
  'Generate Embedding': { embedding: expect.any(Array) },
}

test.each(Object.entries(WITH_TYPE))('%s works with the media type of JSON', async (name, members) => {
  const line = LINES.find((one) => one.name === name)?.line ?? ''
  const { status, text } = await paste(`${line} -H 'Content-Type: application/json'`)
  expect([status, JSON.parse(text)]).toMatchObject([200, members])
})

test.each([
  'Generate a completion > Generate request (Streaming)',
  'Generate a chat completion > Chat request (Streaming)',
])('%s streams when it says so', async (name) => {
  const line = LINES.find((one) => one.name === name)?.line ?? ''
  const { status, type, text } = await paste(line.replace('"model"', '"stream": true, "model"'))
  expect([status, type]).toEqual([200, 'application/x-ndjson'])
  const parts = text
    .trim()
    .split('\n')
    .map((part) => JSON.parse(part))
  expect(parts.map(({ done }) => done)).toEqual([...parts.slice(1).map(() => false), true])
  expect(parts.map(({ message, response = message.content }) => response).join('')).toContain('air scatters blue light')
})
