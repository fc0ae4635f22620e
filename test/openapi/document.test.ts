import { afterAll, describe, expect, test } from 'bun:test'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { operations, resolve } from '../support/openapi'
import { makeWorld } from '../support/world'

/** What the document says beside parameters and errors, held to what is answered. */

const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '1000000' } })
const document: JsonObject = (await world.call({}, 'GET', '/openapi.json')).body
afterAll(world.close)

const calls = new Map(
  operations(document).map(({ operation, path, method }) => [operation.operationId, { operation, path, method }]),
)

/** Returns the media types of an operation's body, or of its response of a status. */
function mediaTypes(id: string, status?: number): string[] {
  const { operation = {} } = calls.get(id) ?? {}
  const { requestBody, responses } = operation
  const part = status === undefined ? requestBody : asObject(responses)[status]
  return Object.keys(asObject(resolve(document, part).content))
}

describe('the media types of the document', () => {
  test.each([
    ['createNote', ['application/json', 'text/markdown']],
    ['updateNote', ['application/json', 'text/markdown']],
    ['createTask', ['application/json']],
    ['createAttachment', ['application/octet-stream', 'multipart/form-data']],
    ['importFlashcards', ['application/octet-stream', 'multipart/form-data']],
  ])('are those of the body that %s takes', (id, types) => {
    expect(mediaTypes(id)).toEqual(types)
  })

  test.each([
    ['chat', ['application/json', 'application/x-ndjson', 'text/event-stream']],
    ['generateAsOllama', ['application/json', 'application/x-ndjson', 'text/event-stream']],
    ['createOpenaiChatCompletion', ['application/json', 'text/event-stream']],
    ['callMcp', ['application/json', 'text/event-stream']],
    ['getNote', ['application/json', 'text/markdown', 'text/html']],
    ['getTask', ['application/json']],
  ])('are those that %s answers', (id, types) => {
    expect(mediaTypes(id, 200)).toEqual(types)
  })

  test('are streamed by a chat as they say', async () => {
    const ask = { messages: [{ role: 'user', content: 'Hello?' }], stream: true }
    for (const accept of mediaTypes('chat', 200).slice(1)) {
      const answer = await world.call({}, 'POST', '/api/chat', ask, { Accept: accept })
      expect(answer.headers.get('Content-Type')).toStartWith(accept)
    }
  })
})

test('a report that is answered with 202 has an address and no ETag, and nothing else of 202 has either', () => {
  const accepted = [...calls.values()].flatMap(({ operation, path }) => {
    const response = resolve(document, asObject(operation.responses)[202])
    return 'description' in response ? [{ path, headers: Object.keys(asObject(response.headers)) }] : []
  })
  expect(accepted.length).toBeGreaterThan(20)
  expect(accepted.filter(({ headers }) => headers.join() !== 'Location').map(({ path }) => path)).toEqual(['/api/mcp'])
})
