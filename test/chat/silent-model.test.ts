import { afterAll, expect, test } from 'bun:test'
import { readError } from '../support/error-forms'
import { makeVectors } from '../support/vectors'
import { makeKey, makeWorld } from '../support/world'
import { makeModel } from './model'

/** Models that are asked and say nothing, or fail, by each path that asks them. */

const silence = () => new Promise<Response>(() => {})
const [model, vectors] = [makeModel(), makeVectors()]
const world = await makeWorld({
  settings: { ...model.settings, ...vectors.settings },
  adjust: (config) => ({
    ...config,
    upstream: config.upstream && { ...config.upstream, limits: { firstByteMs: 250 } },
    semantic: config.semantic && typeof config.semantic === 'object' ? { ...config.semantic, totalMs: 250 } : null,
  }),
})
const me = { key: makeKey(1) }
afterAll(async () => {
  await world.close()
  await model.stop()
  await vectors.stop()
})

const messages = [{ role: 'user', content: 'Hello?' }]
const PATHS: [path: string, body: object][] = [
  ['/api/chat', { model: 'big-model', messages }],
  ['/api/generate', { model: 'big-model', prompt: 'Hello?' }],
  ['/api/openai/chat/completions', { model: 'big-model', messages }],
  ['/api/embed', { input: 'a' }],
  ['/api/embeddings', { prompt: 'a' }],
  ['/api/openai/embeddings', { input: 'a' }],
]

async function ask(path: string, body: object) {
  const answer = await world.call(me, 'POST', path, body)
  return [answer.status, readError(path, answer.status, answer.body).code]
}

test.each(PATHS)('%s says that its model answers too late', async (path, body) => {
  model.plays(silence)
  vectors.replies(silence)
  expect(await ask(path, body)).toEqual([504, 'upstream_timeout'])
})

test.each(PATHS)('%s says that its model fails', async (path, body) => {
  const fail = () => new Response('', { status: 500 })
  model.plays(fail)
  vectors.replies(fail)
  expect(await ask(path, body)).toEqual([502, 'upstream_failed'])
})
