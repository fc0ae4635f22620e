import { afterAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { type ChatAnswer, chatAnswer } from '../../src/chat/schema'
import { readAnswerFormat } from '../../src/chat/stream'
import { NOTES } from './questions'
import { asking, comparable, makeCallers } from './support'

const { world, caller } = await makeCallers()
afterAll(world.close)
const { key } = await caller(NOTES)
const base = world.listen()
let time = world.clock.now
// Chat looks at the start of an answer and at its end, search in between: a clock that goes on by 2 ms at each look shows it.
Object.defineProperty(world.clock, 'now', { get: () => (time += 2) })

/** Posts with the key; with headers of its own only where it is given them. */
const post = (body: unknown, headers: Record<string, string> = { 'X-API-Key': key }): Promise<Response> =>
  fetch(`${base}api/chat`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const question = asking('When do we fly to Lisbon?')
const json = async (response: Response) => (await response.json()) as ChatAnswer

describe('JSON', () => {
  test('the answer has exactly the members of its schema', async () => {
    const response = await post(question)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toStartWith('application/json')
    const answer = await json(response)
    expect([...Value.Errors({ ...chatAnswer, additionalProperties: false }, answer)]).toEqual([])
    expect(answer).toMatchObject({
      model: 'satchel-local',
      engine: 'local',
      done: true,
      done_reason: 'stop',
      actions: [],
      warnings: [],
    })
    expect(answer.citations[0]?.quote).toContain('14 September at 07:35')
    expect(answer.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('tokens are estimated as bytes / 4, durations are nanoseconds', async () => {
    const answer = await json(await post(question))
    const tokens = Math.ceil(Buffer.byteLength(answer.message.content) / 4)
    expect(answer.usage).toEqual({
      prompt_tokens: 7,
      completion_tokens: tokens,
      steps: 1,
      tool_calls: 0,
      estimated: true,
    })
    expect(answer).toMatchObject({
      prompt_eval_count: 7,
      eval_count: tokens,
      eval_duration: answer.total_duration,
      load_duration: 0,
    })
    expect(answer.total_duration).toBeGreaterThanOrEqual(2_000_000)
    expect(answer.total_duration % 2_000_000).toBe(0)
  })

  test('num_predict cuts the text; a citation without its mark is no longer cited', async () => {
    const answer = await json(await post({ ...question, options: { num_predict: 3 } }))
    expect(answer.message.content).toBe('From "Trip t')
    expect(answer.done_reason).toBe('length')
    expect(answer.citations.map(({ cited }) => cited)).not.toContain(true)
  })

  test('a key in Authorization is refused; what clients send there otherwise is ignored', async () => {
    const refused = await post(question, { Authorization: `Bearer ${key}` })
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'invalid_api_key'])
    expect((await post(question, { Authorization: `Bearer ${key}`, 'X-API-Key': key })).status).toBe(200)
    expect((await post(question, { Authorization: 'Bearer unused' })).status).toBe(200)
  })

  test.each<[unknown, number, string]>([
    ['{"messages": ', 400, 'invalid_json'],
    ['', 400, 'invalid_request'],
    [{}, 400, 'invalid_request'],
    [{ messages: [], confirm: ['x'] }, 400, 'invalid_request'],
    [{ messages: [], model: 'gpt' }, 404, 'model_not_found'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 400, 'invalid_request'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 400, 'invalid_request'],
    [{ messages: [{ role: 'user', content: 'x', name: 'y' }] }, 400, 'invalid_request'],
    [{ ...question, unknown: 1 }, 400, 'invalid_request'],
    [{ ...question, stream: 'yes' }, 400, 'invalid_request'],
    [{ ...question, mode: 'delete' }, 400, 'invalid_request'],
    [{ ...question, options: { temperature: 3 } }, 400, 'invalid_request'],
    [{ ...question, options: { num_predict: 0 } }, 400, 'invalid_request'],
    [{ ...question, options: { seed: '5' } }, 400, 'invalid_request'],
    [{ ...question, options: { stop: ['a', 'b', 'c', 'd', 'e'] } }, 400, 'invalid_request'],
    [{ ...question, scope: { types: ['note'], folders: [] } }, 400, 'invalid_request'],
    [{ ...question, scope: { ids: ['1'] } }, 400, 'invalid_request'],
    [{ ...question, confirm: Array(9).fill('x') }, 400, 'invalid_request'],
    [{ ...question, confirm: ['x'] }, 400, 'confirmation_unknown'],
    [{ ...question, tools: [{ type: 'function', function: { name: 'f' } }] }, 400, 'unsupported_parameter'],
    [asking('half of a \ud83d'), 400, 'invalid_request'],
    [asking('a \0'), 400, 'invalid_request'],
    [{ ...question, model: 'gpt' }, 404, 'model_not_found'],
  ])('refused %#', async (body, status, code) => {
    const response = await post(body)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(
      expect.objectContaining({ code, error: expect.stringMatching(/^\S.*\S$/), request_id: expect.any(String) }),
    )
  })
})

interface Line extends ChatAnswer {
  readonly event?: string
  readonly citation?: object
}

describe('the time zone', () => {
  const sent = (members: object) => post({ ...question, ...members })

  test.each(['timezone', 'timeZone'])('is not called %s, and the error names what it is called', async (name) => {
    const refused = await sent({ [name]: 'Europe/Berlin' })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('did you mean time_zone')
  })

  test('is checked by its name', async () => {
    expect((await sent({ time_zone: 'Europe/Berlin' })).status).toBe(200)
    expect(await (await sent({ time_zone: 'Mars/Base' })).json()).toMatchObject({
      errors: [{ pointer: '/time_zone', code: 'invalid_zone' }],
    })
  })
})

describe('NDJSON', () => {
  test('joined deltas and the last line equal the JSON answer', async () => {
    const response = await post({ ...question, stream: true })
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const text = await response.text()
    expect(text).toEndWith('\n')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    const last = lines.pop() as Line
    expect(lines.every(({ done, model }) => !done && model === 'satchel-local')).toBe(true)
    expect(last).toMatchObject({ done: true, message: { role: 'assistant', content: '' } })
    const content = lines.map(({ message }) => message.content).join('')
    const whole = await json(await post(question))
    expect(comparable({ ...last, message: { role: 'assistant', content } })).toEqual(comparable(whole))
    expect(lines.filter(({ event }) => event === 'citation').map(({ citation }) => citation)).toEqual(whole.citations)
  })

  test('an answer that a stop sequence empties is the last line alone', async () => {
    const text = await (await post({ ...question, stream: true, options: { stop: ['F'] } })).text()
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    expect(lines.filter(({ message, done }) => !done && message.content !== '')).toEqual([])
    expect(lines.filter(({ done }) => done)).toHaveLength(1)
  })

  test('a refusal before the first byte is an ordinary error', async () => {
    const response = await post({ ...question, stream: true, model: 'gpt' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'model_not_found' })
  })
})

describe('Server-Sent Events', () => {
  test('come when accepted by name, whatever stream says, and end in one done', async () => {
    const response = await post({ ...question, stream: false }, { 'X-API-Key': key, Accept: 'text/event-stream' })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = (await response.text())
      .trimEnd()
      .split('\n\n')
      .map((event) => {
        const [name = '', data = '', ...rest] = event.split('\n')
        expect(rest).toEqual([])
        return { name: name.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) as Line }
      })
    expect(events.map(({ name }) => name).join(' ')).toMatch(/^(delta )+(citation )+done$/)
    const whole = await json(await post(question))
    const content = events.filter(({ name }) => name === 'delta').map(({ data }) => data.message.content)
    expect(content.join('')).toBe(whole.message.content)
    expect(events.at(-1)?.data).toMatchObject({ done: true, citations: whole.citations })
  })

  test.each([
    ['text/event-stream', false, 'sse'],
    ['application/json, Text/Event-Stream;q=0.5', true, 'sse'],
    ['text/event-stream;q=0', true, 'ndjson'],
    ['text/event-stream; q=0.000', false, 'json'],
    ['*/*', false, 'json'],
    ['text/*', true, 'ndjson'],
    [null, true, 'ndjson'],
    [null, false, 'json'],
  ] as const)('Accept %j with stream %j gives %s', (accept, stream, form) =>
    expect(readAnswerFormat(accept, stream)).toBe(form),
  )
})
