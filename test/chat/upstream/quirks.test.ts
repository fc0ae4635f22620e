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
const one = (reply: () => Reply) => () => ({ replies: [reply()] })
const ask = (name: string, args: object) => ({ calls: [{ name, args }] })
const refusing = (status: number, after: string | null): Reply => ({
  status,
  headers: after === null ? {} : { 'Retry-After': after },
})
const hello = () => saying({ text: ['Hello.'] })
const searches = (...queries: string[]) => queries.map((query): [string, object] => ['search', { query }])
/** A step with calls as the server sends them, then words. */
const called =
  (...chunks: string[]) =>
  () => ({ replies: [events(...chunks), hello()] })
const wide = Buffer.from(delta({ content: 'Grüße 🎒.' }) + finish())
const bytes = (buffer: Buffer) => Array.from(buffer, (_, i) => buffer.subarray(i, i + 1))
const MIB = 1024 * 1024

const wire: Row[] = [
  {
    quirk: 'comments, CRLF, data without a space, other fields',
    scene: one(() =>
      events(
        ': hi\r\n\r\nid: 7\r\nretry: 1\r\nevent: message\r\n',
        `data:${delta({ content: 'A' }).slice(5).trim()}\r\n\r\n: \r\n`,
        finish(),
      ),
    ),
    text: 'A',
    reason: 'stop',
  },
  { quirk: 'split characters', scene: one(() => events(...bytes(wide))), text: 'Grüße 🎒.' },
  {
    quirk: 'JSON instead of a stream',
    scene: one(() => ({
      type: 'application/json; charset=utf-8',
      chunks: [
        JSON.stringify(
          { choices: [{ message: { role: 'assistant', content: 'Whole.' }, finish_reason: 'stop' }] },
          null,
          2,
        ),
      ],
    })),
    text: 'Whole.',
    reason: 'stop',
  },
  {
    quirk: 'a stream without a content type',
    scene: one(() => ({ chunks: chunksOf({ text: ['Plain.'] }) })),
    text: 'Plain.',
  },
  {
    quirk: 'usage chunk with choices null, no [DONE] after a finish_reason',
    scene: one(() =>
      events(
        delta({ content: 'A' }),
        finish(),
        data({ choices: null, usage: { prompt_tokens: 3, completion_tokens: 4 } }),
      ),
    ),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: '[DONE] without a finish_reason',
    scene: one(() => events(delta({ content: 'A' }), 'data: [DONE]\n\n')),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: 'a connection that breaks after the finish_reason',
    scene: one(() => ({ ...events(delta({ content: 'A' }) + finish()), after: 'break' })),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: 'silence after the finish_reason',
    scene: () => ({
      limits: { stallMs: 400 },
      replies: [{ ...events(delta({ content: 'A' }) + finish()), after: 'silence' }],
    }),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: 'an end with neither finish_reason nor [DONE]',
    scene: one(() => saying({ text: ['Half'], finish: null })),
    text: 'Half',
    failure: 'upstream_failed',
  },
  {
    quirk: 'a connection that breaks midway',
    scene: one(() => ({ ...saying({ text: ['Half'], finish: null }), after: 'break' })),
    text: 'Half',
    failure: 'upstream_failed',
  },
  {
    quirk: 'a last line that is cut off',
    scene: one(() => ({ ...hello(), chunks: [`${hello().chunks?.[0]}`.slice(0, -9)] })),
    failure: 'upstream_failed',
  },
  { quirk: 'an empty body', scene: one(() => ({ type: 'text/event-stream' })), failure: 'upstream_failed' },
]

const failing: Row[] = [
  {
    quirk: '200 with an error, whole',
    scene: one(() => ({ type: 'application/json', chunks: ['{"error":{"message":"no such model"}}'] })),
    failure: 'upstream_failed',
    logged: { level: 'warn', excerpt: 'no such model' },
  },
  {
    quirk: '200 with an error, mid-stream',
    scene: one(() => ({
      type: 'text/event-stream',
      chunks: [...chunksOf({ text: ['Half'], finish: null }), data({ error: { message: 'E' } })],
    })),
    text: 'Half',
    failure: 'upstream_failed',
    logged: { level: 'warn', excerpt: '"E"' },
  },
  {
    quirk: 'an event named error',
    scene: one(() => events('event: error\ndata: {"message":"oops"}\n\n')),
    failure: 'upstream_failed',
    logged: { level: 'warn', excerpt: 'oops' },
  },
  {
    quirk: '5xx with HTML',
    scene: one(() => ({ status: 502, type: 'text/html', chunks: ['<h1>Bad gateway</h1>'] })),
    failure: 'upstream_failed',
    asked: 1,
    logged: { level: 'warn', status: 502, excerpt: '<h1>Bad gateway</h1>' },
  },
  {
    quirk: '200 with HTML',
    scene: one(() => ({ type: 'text/html', chunks: ['<h1>Log in</h1>'] })),
    failure: 'upstream_failed',
    logged: { level: 'warn', excerpt: '<h1>Log in</h1>' },
  },
  {
    quirk: 'a failing body that does not end',
    scene: one(() => ({ status: 500, chunks: ['x'.repeat(20_000)], after: 'silence' })),
    failure: 'upstream_failed',
    logged: { level: 'warn', excerpt: 'x'.repeat(2048) },
  },
  {
    quirk: '401 that echoes the key',
    scene: one(() => ({ status: 401, chunks: [`{"error":"Incorrect key ${KEY}"}`] })),
    failure: 'upstream_failed',
    asked: 1,
    logged: { level: 'error', status: 401, excerpt: '{"error":"Incorrect key ******************"}' },
  },
  {
    quirk: '403',
    scene: one(() => ({ status: 403 })),
    failure: 'upstream_failed',
    asked: 1,
    logged: { level: 'error', status: 403 },
  },
  ...[301, 302, 307, 308].map(
    (status): Row => ({
      quirk: `redirect ${status}`,
      scene: one(() => ({ status, headers: { Location: '/elsewhere' } })),
      failure: 'upstream_failed',
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
    ).map(
      ([what, after, waited]): Row => ({
        quirk: `${status} with ${what}`,
        scene: () => ({ replies: [refusing(status, after), hello()] }),
        text: 'Hello.',
        asked: 2,
        waited: [waited],
      }),
    ),
    {
      quirk: `${status} twice`,
      scene: () => ({ replies: [refusing(status, '0'), refusing(status, '0')] }),
      failure: 'upstream_failed',
      asked: 2,
      waited: [0],
    },
    ...([['6'], [null], ['soon'], ['6.5']] as const).map(
      ([after]): Row => ({
        quirk: `${status} with Retry-After: ${after}`,
        scene: one(() => refusing(status, after)),
        failure: 'upstream_failed',
        asked: 1,
        waited: [],
      }),
    ),
    {
      quirk: `${status} after something was said`,
      scene: () => ({
        replies: [saying({ text: ['Let me look.'], ...ask('search', {}) }), refusing(status, '0')],
      }),
      failure: 'upstream_failed',
      asked: 2,
      waited: [],
    },
  ]),
  {
    quirk: '500 with Retry-After',
    scene: one(() => refusing(500, '1')),
    failure: 'upstream_failed',
    asked: 1,
    waited: [],
  },
  {
    quirk: 'a silent start',
    scene: () => ({ limits: { firstByteMs: 300 }, replies: [{ silent: true }] }),
    failure: 'upstream_timeout',
    asked: 1,
  },
  {
    quirk: 'a silent start after the head',
    scene: () => ({ limits: { firstByteMs: 300 }, replies: [{ type: 'text/event-stream', after: 'silence' }] }),
    failure: 'upstream_timeout',
  },
  {
    quirk: 'silence midway',
    scene: () => ({
      limits: { stallMs: 400 },
      replies: [{ ...saying({ text: ['Half'], finish: null }), after: 'silence' }],
    }),
    text: 'Half',
    failure: 'upstream_timeout',
  },
  {
    quirk: 'silence longer than the whole may take',
    scene: () => ({ limits: { totalMs: 500 }, replies: [{ silent: true }] }),
    failure: 'upstream_timeout',
  },
  {
    quirk: 'a line over 1 MiB',
    scene: one(() => ({ type: 'text/event-stream', chunks: [`data: {"x":"${'x'.repeat(MIB)}`], after: 'silence' })),
    failure: 'upstream_failed',
  },
  {
    quirk: 'an event of many lines over 1 MiB',
    scene: one(() => ({ ...events(`data: ${'x'.repeat(1000)}\n`.repeat(1100)), after: 'silence' })),
    failure: 'upstream_failed',
  },
  {
    quirk: 'JSON over 1 MiB',
    scene: one(() => ({ type: 'application/json', chunks: [' '.repeat(MIB + 1)], after: 'silence' })),
    failure: 'upstream_failed',
  },
]

const calling: Row[] = [
  {
    quirk: 'a tool call whole',
    scene: () => ({ replies: [saying(ask('search', { query: 'a' })), hello()] }),
    calls: searches('a'),
    text: 'Hello.',
  },
  {
    quirk: 'a tool call in fragments by index, two at once',
    scene: called(
      toolCalls(
        { index: 0, id: 'a', function: { name: 'search', arguments: '' } },
        { index: 1, id: 'b', function: { name: 'search', arguments: '{"que' } },
      ),
      more(1, 'ry":"2"}'),
      more(0, '{"query":'),
      more(0, '"1"}'),
      finish('tool_calls'),
    ),
    calls: searches('1', '2'),
  },
  {
    quirk: 'a name cut in two, and one that is repeated',
    scene: called(
      toolCalls({ index: 0, function: { name: 'sea' } }),
      toolCalls({ index: 0, function: { name: 'rch', arguments: '{"query":' } }),
      search('{"que', { index: 1, id: 'b' }),
      more(0, '"1"}'),
      search('ry":"2"}', { index: 1, id: 'b' }),
      finish('tool_calls'),
    ),
    calls: searches('1', '2'),
  },
  {
    quirk: 'whole calls without id or index, finish_reason stop',
    scene: called(search('{"query":"1"}'), search('{"query":"2"}'), finish('stop')),
    calls: searches('1', '2'),
    text: 'Hello.',
  },
  {
    quirk: 'fragments without id or index, by position',
    scene: called(
      toolCalls(
        { function: { name: 'search', arguments: '{"query"' } },
        { function: { name: 'create_task', arguments: '{"title"' } },
      ),
      toolCalls({ function: { arguments: ':"1"}' } }, { function: { arguments: ':"2"}' } }),
      finish('tool_calls'),
    ),
    calls: [
      ['search', { query: '1' }],
      ['create_task', { title: '2' }],
    ],
  },
  {
    quirk: 'whole calls that all have index 0, told apart by id or by being whole',
    scene: called(
      search('{"query":"1"}', { index: 0, id: 'a' }),
      search('{"query":"2"}', { index: 0, id: 'b' }),
      search('{"query":"3"}', { index: 0 }),
      finish('tool_calls'),
    ),
    calls: searches('1', '2', '3'),
  },
  {
    quirk: 'calls in JSON instead of a stream',
    scene: () => ({
      replies: [
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
    }),
    calls: [['search', {}]],
    text: 'Hello.',
  },
  ...(
    [
      ['an object', { query: 'a' }, { query: 'a' }],
      ['empty', '', {}],
      ['null', null, {}],
      ['the text null', 'null', {}],
    ] as const
  ).map(
    ([kind, sent, args]): Row => ({
      quirk: `arguments: ${kind}`,
      scene: () => ({
        replies: [events(search(sent, { index: 0, id: 'a' }), finish('tool_calls')), hello()],
      }),
      calls: [['search', args]],
      text: 'Hello.',
    }),
  ),
  {
    quirk: 'arguments of broken JSON once',
    scene: () => ({
      replies: [events(search('{"query', { index: 0, id: 'a' }), finish()), saying(ask('search', {})), hello()],
    }),
    calls: [['search', {}]],
    text: 'Hello.',
    warnings: [],
  },
  {
    quirk: 'arguments of broken JSON twice in a row',
    scene: () => {
      const broken = events(search('["a"]', { index: 0, id: 'a' }), finish())
      return { replies: [broken, broken, hello()] }
    },
    calls: [],
    text: 'Hello.',
    asked: 3,
    reason: 'stop',
    warnings: ['tools_stopped'],
  },
  {
    quirk: 'unknown tool name once',
    scene: () => ({ replies: [saying(ask('find it', {})), hello()] }),
    calls: [],
    text: 'Hello.',
    warnings: [],
  },
  {
    quirk: 'unknown tool name twice, but not in a row',
    scene: () => ({
      replies: [saying({ calls: ['no', 'search', 'no'].map((tool) => ({ name: tool, args: {} })) }), hello()],
    }),
    calls: [['search', {}]],
    warnings: [],
  },
  {
    quirk: 'unknown tool name twice in a row',
    scene: () => ({
      replies: [saying({ calls: ['no', 'nope', 'search'].map((tool) => ({ name: tool, args: {} })) }), hello()],
    }),
    calls: [],
    text: 'Hello.',
    warnings: ['tools_stopped'],
  },
  {
    quirk: 'same call three times',
    scene: () => ({
      replies: [
        saying(ask('search', { query: 'a' })),
        saying(ask('search', { query: 'a' })),
        saying(ask('search', { query: 'a' })),
        hello(),
      ],
    }),
    calls: searches('a', 'a'),
    text: 'Hello.',
    asked: 4,
    reason: 'stop',
    warnings: ['tools_stopped'],
  },
  ...[
    '<tool_call>{"name":"create_task","arguments":{"title":"x"}}</tool_call>',
    '{"name":"create_task","arguments":{"title":"x"}}',
    'create_task(title="x")',
  ].map(
    (text): Row => ({
      quirk: `a call written as text: ${text.slice(0, 14)}`,
      scene: one(() => saying({ text: [text] })),
      calls: [],
      text,
      asked: 1,
    }),
  ),
]

const wording: Row[] = [
  {
    quirk: 'reasoning_content, thinking',
    scene: one(() => saying({ thought: 'Hmm.', text: ['Yes.'] })),
    text: 'Yes.',
  },
  {
    quirk: 'reasoning',
    scene: one(() => events(delta({ reasoning: 'Hmm.', content: '' }), delta({ content: 'Yes.' }), finish())),
    text: 'Yes.',
  },
  {
    quirk: '<think>, cut anywhere',
    scene: one(() => saying({ text: ['<th', 'ink>a < b', '</thi', 'nk>\n\nYes', ' <', 'b>.'] })),
    text: 'Yes <b>.',
  },
  {
    quirk: '<think> twice and midway',
    scene: one(() => saying({ text: ['<think>a</think>Yes<thinking>b</thinking>.'] })),
    text: 'Yes.',
  },
  {
    quirk: 'content as an array of parts',
    scene: one(() =>
      events(
        delta({
          content: [
            { type: 'thinking', thinking: 'Hmm' },
            { type: 'text', text: 'Yes.' },
          ],
        }),
        finish(),
      ),
    ),
    text: 'Yes.',
  },
  {
    quirk: 'an empty answer',
    scene: () => ({ replies: [saying({}), hello()] }),
    text: 'Hello.',
    asked: 2,
  },
  {
    quirk: 'an answer of nothing but thoughts',
    scene: () => ({ replies: [saying({ thought: 'Hmm.', text: ['<think>and never ends'] }), hello()] }),
    text: 'Hello.',
    asked: 2,
  },
  {
    quirk: 'an empty answer, twice',
    scene: () => ({ replies: [saying({}), saying({ text: [' \n'] })] }),
    text: '',
    asked: 2,
    failure: 'upstream_failed',
  },
  {
    quirk: 'refuses max_tokens',
    scene: () => ({
      replies: [
        {
          status: 400,
          chunks: [
            '{"error":{"message":"Unsupported parameter: \'max_tokens\'. Use \'max_completion_tokens\' instead.","param":"max_tokens"}}',
          ],
        },
        hello(),
      ],
    }),
    text: 'Hello.',
    asked: 2,
  },
  {
    quirk: 'refuses max_tokens, and max_completion_tokens as well',
    scene: () => {
      const refusal = { status: 400, chunks: ['{"error":{"param":"max_tokens"}}'] }
      return { replies: [refusal, refusal] }
    },
    failure: 'upstream_failed',
    asked: 2,
  },
  {
    quirk: '400 for another reason',
    scene: one(() => ({ status: 400, chunks: ['{"error":{"param":"messages"}}'] })),
    failure: 'upstream_failed',
    asked: 1,
  },
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
