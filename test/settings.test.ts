import { describe, expect, test } from 'bun:test'
import { ConfigError, readConfig } from '../src/config'

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('the settings of chat', () => {
  test('without an address there is no model', () => {
    expect(readConfig({ CHAT_MODEL: 'm', CHAT_API_KEY: 'k' }).upstream).toBeNull()
  })

  test('have the defaults of their page', () => {
    const { upstream, ...config } = readConfig({ CHAT_BASE_URL: 'http://127.0.0.1:11434/v1/', CHAT_MODEL: 'm' })
    expect(upstream).toEqual({ baseUrl: 'http://127.0.0.1:11434/v1', model: 'm', apiKey: null })
    expect(config).toMatchObject({ CHAT_CONCURRENCY: 4, CHAT_TOKENS_PER_DAY: 200_000 })
  })

  test.each([
    [{ CHAT_BASE_URL: 'http://h/v1' }, 'CHAT_MODEL must name the model at CHAT_BASE_URL.'],
    ...['auto', 'satchel-local', 'satchel-local-write'].map((name) => [
      { CHAT_MODEL: name },
      'CHAT_MODEL must not be auto, satchel-local or satchel-local-write: these names have a meaning here.',
    ]),
    ...['ftp://h', 'h:1', 'http://user:word@h/v1', 'http://h/v1?key=x', 'http://h/#x'].map((address) => [
      { CHAT_BASE_URL: address, CHAT_MODEL: 'm' },
      'CHAT_BASE_URL must be an http or https address without a user, a query or a fragment.',
    ]),
    ...['se\ncret', 'secret\u200b', 'se cret'].map((key) => [
      { CHAT_API_KEY: key },
      'CHAT_API_KEY must be visible ASCII without spaces, so that a header can carry it.',
    ]),
    [{ CHAT_CONCURRENCY: '0' }, 'CHAT_CONCURRENCY must be a whole number of at least 1.'],
  ] as [Record<string, string>, string][])('%j is refused in a sentence', (environment, fault) =>
    expect(faultsOf(environment)).toEqual([fault]),
  )
})

const remote = { SEMANTIC_BASE_URL: 'http://127.0.0.1:11434/v1/', SEMANTIC_MODEL: 'nomic-embed-text' }

describe('the settings of meaning', () => {
  test.each([{}, { SEMANTIC_MODEL: 'm' }, { SEMANTIC_API_KEY: 'k' }, { SEMANTIC_BASE_URL: ' ' }])(
    '%j is off',
    (environment) => expect(readConfig(environment as Record<string, string>).semantic).toBeNull(),
  )

  test('name one model on a server', () => {
    const there = { baseUrl: 'http://127.0.0.1:11434/v1', model: 'nomic-embed-text', totalMs: 60_000 }
    expect(readConfig(remote).semantic).toEqual({ ...there, apiKey: null })
    expect(readConfig({ ...remote, SEMANTIC_API_KEY: 'k' }).semantic).toEqual({ ...there, apiKey: 'k' })
  })

  test.each([
    [{ SEMANTIC_BASE_URL: 'http://h/v1' }, 'SEMANTIC_MODEL must name the model at SEMANTIC_BASE_URL.'],
    ...['ftp://h', 'h:1', 'http://user:word@h/v1', 'http://h/v1?key=x', 'http://h/#x'].map((address) => [
      { ...remote, SEMANTIC_BASE_URL: address },
      'SEMANTIC_BASE_URL must be an http or https address without a user, a query or a fragment.',
    ]),
    ...['se\ncret', 'secret\u200b', 'se cret'].map((key) => [
      { ...remote, SEMANTIC_API_KEY: key },
      'SEMANTIC_API_KEY must be visible ASCII without spaces, so that a header can carry it.',
    ]),
  ] as [Record<string, string>, string][])('%j is refused in a sentence', (environment, fault) =>
    expect(faultsOf(environment)).toEqual([fault]),
  )
})
