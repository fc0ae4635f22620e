import { expect, test } from 'bun:test'
import { chunksOf, saying } from './saying'
import type { Reply } from './server'
import { act, KEY, type Scene } from './support'

/** What is to come of a scene; absent members may be anything. */
interface Expected {
  readonly text?: string
  readonly failure?: 'upstream_failed' | 'upstream_timeout'
  readonly reason?: 'stop' | 'length'
  /** Names and arguments of the calls that ran. */
  readonly calls?: readonly [name: string, args: object][]
  /** How many requests the server saw. */
  readonly asked?: number
  readonly warnings?: readonly string[]
  /** A part of what the log has, and its level. */
  readonly logged?: { readonly level: 'warn' | 'error'; readonly excerpt?: string; readonly status?: number }
  readonly waited?: readonly number[]
}

interface Row extends Expected {
  readonly quirk: string
  readonly scene: () => Scene
}

const events = (...chunks: (string | Uint8Array)[]): Reply => ({ type: 'text/event-stream', chunks })
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const delta = (value: object) => data({ choices: [{ index: 0, delta: value }] })
const finish = (reason = 'stop') => data({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const toolCalls = (...calls: object[]) => delta({ tool_calls: calls })
/** A call of `search` in a stream, and more of the arguments of a call. */
const search = (text: unknown, place: object = {}) =>
  toolCalls({ ...place, function: { name: 'search', arguments: text } })
const more = (index: number, text: string) => toolCalls({ index, function: { arguments: text } })
const ask = (name: string, args: object) => ({ calls: [{ name, args }] })
const refusing = (status: number, after: string | null): Reply => ({
  status,
  headers: after === null ? {} : { 'Retry-After': after },
})
/** What the server replies: once, to each request, or in a scene with more to it. */
type Play = () => Reply | readonly Reply[] | Scene
const row = (quirk: string, play: Play, expected: Expected = {}): Row => {
  const scene = () => {
    const made = play()
    return 'replies' in made ? made : { replies: [made].flat() }
  }
  return { quirk, scene, ...expected }
}
const fails = (quirk: string, play: Play, expected: Expected = {}) =>
  row(quirk, play, { failure: 'upstream_failed', ...expected })
const hello = () => saying({ text: ['Hello.'] })
const searches = (...queries: string[]) => queries.map((query): [string, object] => ['search', { query }])
/** A step with calls as the server sends them, then words. */
const called =
  (...chunks: string[]) =>
  () => [events(...chunks), hello()]
const wide = Buffer.from(delta({ content: 'Grüße 🎒.' }) + finish())
const bytes = (buffer: Buffer) => Array.from(buffer, (_, i) => buffer.subarray(i, i + 1))
const MIB = 1024 * 1024

const wire: Row[] = [
  row(
    'comments, CRLF, data without a space, other fields',
    () =>
      events(
        ': hi\r\n\r\nid: 7\r\nretry: 1\r\nevent: message\r\n',
        `data:${delta({ content: 'A' }).slice(5).trim()}\r\n\r\n: \r\n`,
        finish(),
      ),
    { text: 'A', reason: 'stop' },
  ),
  row('split characters', () => events(...bytes(wide)), { text: 'Grüße 🎒.' }),
  row(
    'JSON instead of a stream',
    () => ({
      type: 'application/json; charset=utf-8',
      chunks: [
        JSON.stringify(
          { choices: [{ message: { role: 'assistant', content: 'Whole.' }, finish_reason: 'stop' }] },
          null,
          2,
        ),
      ],
    }),
    { text: 'Whole.', reason: 'stop' },
  ),
  row('a stream without a content type', () => ({ chunks: chunksOf({ text: ['Plain.'] }) }), { text: 'Plain.' }),
  row(
    'usage chunk with choices null, no [DONE] after a finish_reason',
    () =>
      events(
        delta({ content: 'A' }),
        finish(),
        data({ choices: null, usage: { prompt_tokens: 3, completion_tokens: 4 } }),
      ),
    { text: 'A', reason: 'stop' },
  ),
  row('[DONE] without a finish_reason', () => events(delta({ content: 'A' }), 'data: [DONE]\n\n'), {
    text: 'A',
    reason: 'stop',
  }),
  row(
    'a connection that breaks after the finish_reason',
    () => ({ ...events(delta({ content: 'A' }) + finish()), after: 'break' }),
    { text: 'A', reason: 'stop' },
  ),
  row(
    'silence after the finish_reason',
    () => ({
      limits: { stallMs: 400 },
      replies: [{ ...events(delta({ content: 'A' }) + finish()), after: 'silence' }],
    }),
    { text: 'A', reason: 'stop' },
  ),
  fails('an end with neither finish_reason nor [DONE]', () => saying({ text: ['Half'], finish: null }), {
    text: 'Half',
  }),
  fails('a connection that breaks midway', () => ({ ...saying({ text: ['Half'], finish: null }), after: 'break' }), {
    text: 'Half',
  }),
  fails('a last line that is cut off', () => ({ ...hello(), chunks: [`${hello().chunks?.[0]}`.slice(0, -9)] })),
  fails('an empty body', () => ({ type: 'text/event-stream' })),
]

const failing: Row[] = [
  fails(
    '200 with an error, whole',
    () => ({ type: 'application/json', chunks: ['{"error":{"message":"no such model"}}'] }),
    { logged: { level: 'warn', excerpt: 'no such model' } },
  ),
  fails(
    '200 with an error, mid-stream',
    () => ({
      type: 'text/event-stream',
      chunks: [...chunksOf({ text: ['Half'], finish: null }), data({ error: { message: 'E' } })],
    }),
    { text: 'Half', logged: { level: 'warn', excerpt: '"E"' } },
  ),
  fails('an event named error', () => events('event: error\ndata: {"message":"oops"}\n\n'), {
    logged: { level: 'warn', excerpt: 'oops' },
  }),
  fails('5xx with HTML', () => ({ status: 502, type: 'text/html', chunks: ['<h1>Bad gateway</h1>'] }), {
    asked: 1,
    logged: { level: 'warn', status: 502, excerpt: '<h1>Bad gateway</h1>' },
  }),
  fails('200 with HTML', () => ({ type: 'text/html', chunks: ['<h1>Log in</h1>'] }), {
    logged: { level: 'warn', excerpt: '<h1>Log in</h1>' },
  }),
  fails('a failing body that does not end', () => ({ status: 500, chunks: ['x'.repeat(20_000)], after: 'silence' }), {
    logged: { level: 'warn', excerpt: 'x'.repeat(2048) },
  }),
  fails('401 that echoes the key', () => ({ status: 401, chunks: [`{"error":"Incorrect key ${KEY}"}`] }), {
    asked: 1,
    logged: { level: 'error', status: 401, excerpt: '{"error":"Incorrect key ******************"}' },
  }),
  fails('403', () => ({ status: 403 }), { asked: 1, logged: { level: 'error', status: 403 } }),
  ...[301, 302, 307, 308].map((status) =>
    fails(`redirect ${status}`, () => ({ status, headers: { Location: '/elsewhere' } }), {
      asked: 1,
      logged: { level: 'error', status },
    }),
  ),
  ...[429, 503].flatMap((status): Row[] => [
    ...(
      [
        ['Retry-After: 5', '5', 5000],
        ['Retry-After as a date', 'Sun, 01 Mar 2026 08:15:03 GMT', 3000],
      ] as const
    ).map(([what, after, waited]) =>
      row(`${status} with ${what}`, () => [refusing(status, after), hello()], {
        text: 'Hello.',
        asked: 2,
        waited: [waited],
      }),
    ),
    fails(`${status} twice`, () => [refusing(status, '0'), refusing(status, '0')], {
      asked: 2,
      waited: [0],
    }),
    ...([['6'], [null], ['soon'], ['6.5']] as const).map(([after]) =>
      fails(`${status} with Retry-After: ${after}`, () => refusing(status, after), { asked: 1, waited: [] }),
    ),
    fails(
      `${status} after something was said`,
      () => [saying({ text: ['Let me look.'], ...ask('search', {}) }), refusing(status, '0')],
      { asked: 2, waited: [] },
    ),
  ]),
  fails('500 with Retry-After', () => refusing(500, '1'), { asked: 1, waited: [] }),
  row('a silent start', () => ({ limits: { firstByteMs: 300 }, replies: [{ silent: true }] }), {
    failure: 'upstream_timeout',
    asked: 1,
  }),
  row(
    'a silent start after the head',
    () => ({ limits: { firstByteMs: 300 }, replies: [{ type: 'text/event-stream', after: 'silence' }] }),
    { failure: 'upstream_timeout' },
  ),
  row(
    'silence midway',
    () => ({
      limits: { stallMs: 400 },
      replies: [{ ...saying({ text: ['Half'], finish: null }), after: 'silence' }],
    }),
    { text: 'Half', failure: 'upstream_timeout' },
  ),
  row('silence longer than the whole may take', () => ({ limits: { totalMs: 500 }, replies: [{ silent: true }] }), {
    failure: 'upstream_timeout',
  }),
  fails('a line over 1 MiB', () => ({
    type: 'text/event-stream',
    chunks: [`data: {"x":"${'x'.repeat(MIB)}`],
    after: 'silence',
  })),
  fails('an event of many lines over 1 MiB', () => ({
    ...events(`data: ${'x'.repeat(1000)}\n`.repeat(1100)),
    after: 'silence',
  })),
  fails('JSON over 1 MiB', () => ({ type: 'application/json', chunks: [' '.repeat(MIB + 1)], after: 'silence' })),
]

const calling: Row[] = [
  row('a tool call whole', () => [saying(ask('search', { query: 'a' })), hello()], {
    calls: searches('a'),
    text: 'Hello.',
  }),
  row(
    'a tool call in fragments by index, two at once',
    called(
      toolCalls(
        { index: 0, id: 'a', function: { name: 'search', arguments: '' } },
        { index: 1, id: 'b', function: { name: 'search', arguments: '{"que' } },
      ),
      more(1, 'ry":"2"}'),
      more(0, '{"query":'),
      more(0, '"1"}'),
      finish('tool_calls'),
    ),
    { calls: searches('1', '2') },
  ),
  row(
    'a name cut in two, and one that is repeated',
    called(
      toolCalls({ index: 0, function: { name: 'sea' } }),
      toolCalls({ index: 0, function: { name: 'rch', arguments: '{"query":' } }),
      search('{"que', { index: 1, id: 'b' }),
      more(0, '"1"}'),
      search('ry":"2"}', { index: 1, id: 'b' }),
      finish('tool_calls'),
    ),
    { calls: searches('1', '2') },
  ),
  row(
    'whole calls without id or index, finish_reason stop',
    called(search('{"query":"1"}'), search('{"query":"2"}'), finish('stop')),
    { calls: searches('1', '2'), text: 'Hello.' },
  ),
  row(
    'fragments without id or index, by position',
    called(
      toolCalls(
        { function: { name: 'search', arguments: '{"query"' } },
        { function: { name: 'create_task', arguments: '{"title"' } },
      ),
      toolCalls({ function: { arguments: ':"1"}' } }, { function: { arguments: ':"2"}' } }),
      finish('tool_calls'),
    ),
    {
      calls: [
        ['search', { query: '1' }],
        ['create_task', { title: '2' }],
      ],
    },
  ),
  row(
    'whole calls that all have index 0, told apart by id or by being whole',
    called(
      search('{"query":"1"}', { index: 0, id: 'a' }),
      search('{"query":"2"}', { index: 0, id: 'b' }),
      search('{"query":"3"}', { index: 0 }),
      finish('tool_calls'),
    ),
    { calls: searches('1', '2', '3') },
  ),
  row(
    'calls in JSON instead of a stream',
    () => [
      {
        type: 'application/json',
        chunks: [
          JSON.stringify({
            choices: [
              {
                message: { content: null, tool_calls: [{ id: 'a', function: { name: 'search', arguments: '{}' } }] },
                finish_reason: 'tool_calls',
              },
            ],
          }),
        ],
      },
      hello(),
    ],
    { calls: [['search', {}]], text: 'Hello.' },
  ),
  ...(
    [
      ['an object', { query: 'a' }, { query: 'a' }],
      ['empty', '', {}],
      ['null', null, {}],
      ['the text null', 'null', {}],
    ] as const
  ).map(([kind, sent, args]) =>
    row(`arguments: ${kind}`, () => [events(search(sent, { index: 0, id: 'a' }), finish('tool_calls')), hello()], {
      calls: [['search', args]],
      text: 'Hello.',
    }),
  ),
  row(
    'arguments of broken JSON once',
    () => [events(search('{"query', { index: 0, id: 'a' }), finish()), saying(ask('search', {})), hello()],
    { calls: [['search', {}]], text: 'Hello.', warnings: [] },
  ),
  row(
    'arguments of broken JSON twice in a row',
    () => {
      const broken = events(search('["a"]', { index: 0, id: 'a' }), finish())
      return { replies: [broken, broken, hello()] }
    },
    { calls: [], text: 'Hello.', asked: 3, reason: 'stop', warnings: ['tools_stopped'] },
  ),
  row('unknown tool name once', () => [saying(ask('find it', {})), hello()], {
    calls: [],
    text: 'Hello.',
    warnings: [],
  }),
  row(
    'unknown tool name twice, but not in a row',
    () => [saying({ calls: ['no', 'search', 'no'].map((tool) => ({ name: tool, args: {} })) }), hello()],
    { calls: [['search', {}]], warnings: [] },
  ),
  row(
    'unknown tool name twice in a row',
    () => [saying({ calls: ['no', 'nope', 'search'].map((tool) => ({ name: tool, args: {} })) }), hello()],
    { calls: [], text: 'Hello.', warnings: ['tools_stopped'] },
  ),
  row(
    'same call three times',
    () => [
      saying(ask('search', { query: 'a' })),
      saying(ask('search', { query: 'a' })),
      saying(ask('search', { query: 'a' })),
      hello(),
    ],
    { calls: searches('a', 'a'), text: 'Hello.', asked: 4, reason: 'stop', warnings: ['tools_stopped'] },
  ),
  row(
    'a call written as text between its tags',
    () => [saying({ text: ['<tool_', 'call>{"name":"create_task","arguments":{}}</tool_call>'] }), hello()],
    { calls: [], text: 'Hello.', asked: 2 },
  ),
  ...['{"name":"create_task","arguments":{"title":"x"}}', 'create_task(title="x")'].map((text) =>
    row(`a call written as text: ${text.slice(0, 14)}`, () => saying({ text: [text] }), { calls: [], text, asked: 1 }),
  ),
]

const wording: Row[] = [
  row('reasoning_content, thinking', () => saying({ thought: 'Hmm.', text: ['Yes.'] }), { text: 'Yes.' }),
  row('reasoning', () => events(delta({ reasoning: 'Hmm.', content: '' }), delta({ content: 'Yes.' }), finish()), {
    text: 'Yes.',
  }),
  row('<think>, cut anywhere', () => saying({ text: ['<th', 'ink>a < b', '</thi', 'nk>\n\nYes', ' <', 'b>.'] }), {
    text: 'Yes <b>.',
  }),
  row('</think> without an opening', () => saying({ text: ['Let me see.</think>\n\nYes.'] }), { text: 'Yes.' }),
  row(
    '</think> without an opening, in pieces, where nobody has heard the first of them yet',
    () => ({ streams: false, replies: [saying({ text: ['Let me ', 'see.</th', 'ink>\n\nYes', ' <b>.'] })] }),
    { text: 'Yes <b>.' },
  ),
  row('<think> twice and midway', () => saying({ text: ['<think>a</think>Yes<thinking>b</thinking>.'] }), {
    text: 'Yes.',
  }),
  row(
    'content as an array of parts',
    () =>
      events(
        delta({
          content: [
            { type: 'thinking', thinking: 'Hmm' },
            { type: 'text', text: 'Yes.' },
          ],
        }),
        finish(),
      ),
    { text: 'Yes.' },
  ),
  row('an empty answer', () => [saying({}), hello()], { text: 'Hello.', asked: 2 }),
  row(
    'an answer of nothing but thoughts',
    () => [saying({ thought: 'Hmm.', text: ['<think>and never ends'] }), hello()],
    { text: 'Hello.', asked: 2 },
  ),
  fails('an empty answer, twice', () => [saying({}), saying({ text: [' \n'] })], { text: '', asked: 2 }),
  row(
    'refuses max_tokens',
    () => [
      {
        status: 400,
        chunks: [
          '{"error":{"message":"Unsupported parameter: \'max_tokens\'. Use \'max_completion_tokens\' instead.","param":"max_tokens"}}',
        ],
      },
      hello(),
    ],
    { text: 'Hello.', asked: 2 },
  ),
  fails(
    'refuses max_tokens, and max_completion_tokens as well',
    () => {
      const refusal = { status: 400, chunks: ['{"error":{"param":"max_tokens"}}'] }
      return { replies: [refusal, refusal] }
    },
    { asked: 2 },
  ),
  fails('400 for another reason', () => ({ status: 400, chunks: ['{"error":{"param":"messages"}}'] }), { asked: 1 }),
]

const rows = [...wire, ...failing, ...calling, ...wording]

test.each(rows.map((row) => [row.quirk, row] as const))('%s', async (_, row) => {
  const scene = row.scene()
  const played = await act(scene)
  expect(played.failure?.code).toBe(row.failure)
  expect(played.seen.length).toBe(row.asked ?? scene.replies.length)
  if (row.text !== undefined) expect(played.text).toBe(row.text)
  if (row.reason) expect(played.ending?.reason).toBe(row.reason)
  if (row.calls) expect(played.calls).toEqual(row.calls.map(([tool, args]) => ({ tool, args })))
  if (row.warnings) expect(played.warnings).toEqual([...row.warnings])
  if (row.waited) expect(played.waited).toEqual([...row.waited])
  expect(JSON.stringify(played.logged)).not.toContain(KEY)
  expect(played.logged.map(({ level }) => level)).toEqual(row.failure ? [row.logged?.level ?? 'warn'] : [])
  const { excerpt, status } = played.logged[0]?.fields ?? {}
  if (row.logged?.status) expect(status).toBe(row.logged.status)
  if (row.logged?.excerpt) expect(excerpt).toContain(row.logged.excerpt)
  expect(excerpt?.length ?? 0).toBeLessThanOrEqual(2048)
})
