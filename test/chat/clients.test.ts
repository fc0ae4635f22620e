import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { APICallError, embed, embedMany, generateText, type LanguageModel, Output, streamText, tool } from 'ai'
import { createOllama } from 'ollama-ai-provider-v2'
import { z } from 'zod'
import { makeVectors } from '../support/vectors'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { makeModel, says } from './model'

/**
 * Clients that others publish for OpenAI and Ollama, over a real socket: the calls for chat that their documentation
 * shows. Of OpenAI and Ollama themselves: openai.test.ts, ollama.test.ts.
 */

const model = makeModel()
const vectors = makeVectors()
const settings = { ...MANY_CALLERS, ...model.settings, ...vectors.settings, FREE_LIMIT_PER_HOUR: '3' }
const world = await makeWorld({ settings })
const host = world.listen().slice(0, -1)
const key = makeKey(1)
const headers = { 'X-API-Key': key }
await world.call({ key }, 'POST', '/api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027.' })

afterAll(async () => {
  await world.close()
  model.stop()
  await vectors.stop()
})
beforeEach(() => model.plays(says('Hello', ' there.')))

const QUESTION = 'When does the boiler warranty end?'
const ANSWER = 'From "House": "The boiler warranty ends on 3 May 2027." [1]'
const baseURL = `${host}/api/openai/v1`
const openai = createOpenAI({ baseURL, apiKey: 'unused', headers })
const compatible = createOpenAICompatible({ name: 'satchel', baseURL, headers, supportsStructuredOutputs: true })
const ollama = createOllama({ baseURL: `${host}/api`, headers })

const city = z.object({ city: z.string() })
/** All that comes of a stream, in pieces. */
async function collect<Piece>(stream: AsyncIterable<Piece>): Promise<Piece[]> {
  const pieces: Piece[] = []
  for await (const piece of stream) pieces.push(piece)
  return pieces
}

/** The error that a call of `ai` ends with. */
async function refused(asked: Promise<unknown>): Promise<APICallError> {
  const error = await asked.then(String, (thrown: unknown) => thrown)
  if (!APICallError.isInstance(error)) throw error
  return error
}

const AI_PROVIDERS: [string, (name: string) => LanguageModel][] = [
  ['@ai-sdk/openai', (name) => openai.chat(name)],
  ['@ai-sdk/openai-compatible', (name) => compatible(name)],
  ['ollama-ai-provider-v2', (name) => ollama(name)],
]

describe.each(AI_PROVIDERS)('ai with %s', (_, modelOf) => {
  test('generateText', async () => {
    const { text, finishReason } = await generateText({ model: modelOf('satchel-local'), prompt: QUESTION })
    expect([text, finishReason]).toEqual([ANSWER, 'stop'])
    const { text: said, usage } = await generateText({
      model: modelOf('big-model'),
      system: 'Be brief.',
      messages: [{ role: 'user', content: QUESTION }],
    })
    expect([said, usage.inputTokens, usage.outputTokens]).toEqual(['Hello there.', 10, 5])
  })

  test('streamText', async () => {
    expect((await collect(streamText({ model: modelOf('satchel-local'), prompt: QUESTION }).textStream)).join('')).toBe(
      ANSWER,
    )
    const pieces = await collect(streamText({ model: modelOf('big-model'), prompt: QUESTION }).textStream)
    expect(pieces).toEqual(['Hello', ' there.'])
  })

  test('a wrong model is an error with its status and a sentence', async () => {
    const error = await refused(generateText({ model: modelOf('another'), prompt: QUESTION, maxRetries: 0 }))
    expect(error.statusCode).toBe(404)
    // The provider of Ollama reads an object where Ollama has a string, and shows the name of the status instead.
    expect(error.responseBody).toContain('There is no such model.')
  })
})

test.each(AI_PROVIDERS)('ai with %s: tools and outputs of the client are refused in a sentence', async (_, modelOf) => {
  const ask = { model: modelOf('big-model'), prompt: QUESTION, maxRetries: 0 }
  const weather = tool({ description: 'Tells the weather.', inputSchema: city, execute: async () => 'Sunny.' })
  for (const members of [{ tools: { weather } }, { output: Output.object({ schema: city }) }]) {
    const { statusCode, responseBody } = await refused(generateText({ ...ask, ...members }))
    expect([statusCode, responseBody]).toEqual([
      400,
      expect.stringMatching(/not offered|is offered with the type text/),
    ])
  }
})

describe('ai', () => {
  test('a refusal because of a limit is an error with its status', async () => {
    const free = createOpenAI({ baseURL, apiKey: 'unused' })
    const ask = { model: free.chat('satchel-local'), prompt: QUESTION, maxRetries: 0 }
    for (let i = 0; i < 3; i++) await generateText(ask)
    await expect(generateText(ask)).rejects.toMatchObject({ statusCode: 429 })
  })

  test('the API of responses, which @ai-sdk/openai uses unless told otherwise, is not offered: 404', async () => {
    const asked = generateText({ model: openai('big-model'), prompt: QUESTION, maxRetries: 0 })
    await expect(asked).rejects.toMatchObject({ statusCode: 404 })
  })

  test.each([
    ['@ai-sdk/openai', openai.embeddingModel('auto')],
    ['@ai-sdk/openai-compatible', compatible.embeddingModel('auto')],
    ['ollama-ai-provider-v2', ollama.embedding('auto')],
  ])('embed and embedMany with %s', async (_, embedder) => {
    expect((await embed({ model: embedder, value: 'ab' })).embedding).toHaveLength(3)
    expect((await embedMany({ model: embedder, values: ['a', 'bc'] })).embeddings).toHaveLength(2)
  })
})

describe('without a key', () => {
  const chats: [string, { invoke(question: string): Promise<{ content: unknown }> }][] = [
    [
      '@langchain/openai',
      new ChatOpenAI({ model: 'satchel-local', apiKey: 'unused', maxRetries: 0, configuration: { baseURL } }),
    ],
    ['@langchain/ollama', new ChatOllama({ model: 'satchel-local', baseUrl: host, maxRetries: 0 })],
  ]

  test.each(chats)('a refusal because of a limit is an error of %s with its status', async (_, chat) => {
    // Others without a key may have used up a part of the limit.
    for (let i = 0; i < 3; i++) await chat.invoke(QUESTION).catch(() => {})
    const error = await chat.invoke(QUESTION).then(String, (thrown) => thrown)
    expect(error.status ?? error.status_code).toBe(429)
    expect(error.message).toContain('3 requests')
  })
})

const getWeather = langchainTool(async () => 'Sunny.', {
  name: 'weather',
  description: 'Tells the weather.',
  schema: city,
})

describe('@langchain/openai', () => {
  const chat = (name: string) =>
    new ChatOpenAI({
      model: name,
      apiKey: 'unused',
      maxRetries: 0,
      configuration: { baseURL, defaultHeaders: headers },
    })
  test('invoke, stream and batch', async () => {
    expect((await chat('satchel-local').invoke(QUESTION)).content).toBe(ANSWER)
    const messages = [new SystemMessage('Be brief.'), new HumanMessage(QUESTION)]
    const whole = await chat('big-model').invoke(messages)
    expect(whole).toMatchObject({ content: 'Hello there.', usage_metadata: { total_tokens: 15 } })
    const pieces = await collect(await chat('big-model').stream(messages))
    expect(pieces.map(({ content }) => content).join('')).toBe('Hello there.')
    const both = await chat('big-model').batch([messages, messages, messages])
    expect(both.map(({ content }) => content)).toEqual(Array(3).fill('Hello there.'))
  })

  test('a wrong model, and tools of the client, are errors with a sentence', async () => {
    await expect(chat('another').invoke(QUESTION)).rejects.toThrow('There is no such model.')
    const bound = chat('big-model').bindTools([getWeather])
    await expect(bound.invoke(QUESTION)).rejects.toThrow('tools are not offered')
  })

  test('embeddings', async () => {
    const configuration = { baseURL, defaultHeaders: headers }
    const embeddings = new OpenAIEmbeddings({ model: 'auto', apiKey: 'unused', configuration })
    expect(await embeddings.embedQuery('ab')).toHaveLength(3)
    expect(await embeddings.embedDocuments(['a', 'bc'])).toHaveLength(2)
  })
})

describe('@langchain/ollama', () => {
  const chat = (name: string) => new ChatOllama({ model: name, baseUrl: host, headers, maxRetries: 0 })

  test('invoke and stream', async () => {
    expect((await chat('satchel-local').invoke(QUESTION)).content).toBe(ANSWER)
    expect((await chat('big-model').invoke([new HumanMessage(QUESTION)])).content).toBe('Hello there.')
    const pieces = await collect(await chat('big-model').stream(QUESTION))
    expect(pieces.map(({ content }) => content).join('')).toBe('Hello there.')
  })

  test('a wrong model is an error with a sentence', async () => {
    await expect(chat('another').invoke(QUESTION)).rejects.toThrow('There is no such model.')
  })

  test('tools of the client are an error with a sentence', async () => {
    const bound = chat('big-model').bindTools([getWeather])
    await expect(bound.invoke(QUESTION)).rejects.toThrow('tools are not offered')
  })

  test('embeddings', async () => {
    const embeddings = new OllamaEmbeddings({ model: 'auto', baseUrl: host, headers, maxRetries: 0 })
    expect(await embeddings.embedQuery('ab')).toHaveLength(3)
    expect(await embeddings.embedDocuments(['a', 'bc'])).toHaveLength(2)
  })
})
