import { describe, expect, test } from 'bun:test'
import { DIALECTS, NAMES, type Name, saying } from './dialects'
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
  readonly dialects?: readonly Name[]
  readonly scene: (dialect: Name) => Scene
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
const one = (reply: (dialect: Name) => Reply) => (dialect: Name) => ({ replies: [reply(dialect)] })
const ask = (name: string, args: object) => ({ calls: [{ name, args }] })
const refusing = (status: number, after: string | null): Reply => ({
  status,
  headers: after === null ? {} : { 'Retry-After': after },
})
const hello = (dialect: Name) => saying(dialect, { text: ['Hello.'] })
const searches = (...queries: string[]) => queries.map((query): [string, object] => ['search', { query }])
/** A step with calls as the server sends them, then words. */
const called =
  (...chunks: string[]) =>
  () => ({ replies: [events(...chunks), hello('openai')] })
const wide = Buffer.from(delta({ content: 'Grüße 🎒.' }) + finish())
const bytes = (buffer: Buffer) => Array.from(buffer, (_, i) => buffer.subarray(i, i + 1))
const MIB = 1024 * 1024

const wire: Row[] = [
  {
    quirk: 'comments, CRLF, data without a space, other fields',
    dialects: ['openai'],
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
  {
    quirk: 'CRLF',
    dialects: ['ollama'],
    scene: one((name) => ({
      ...hello(name),
      chunks: (hello(name).chunks ?? []).map((chunk) => `${chunk}`.replace('\n', '\r\n\r\n')),
    })),
    text: 'Hello.',
  },
  { quirk: 'split characters', dialects: ['openai'], scene: one(() => events(...bytes(wide))), text: 'Grüße 🎒.' },
  {
    quirk: 'split characters',
    dialects: ['ollama'],
    scene: one((name) => ({
      ...hello(name),
      chunks: bytes(Buffer.from(DIALECTS[name].says({ text: ['Grüße 🎒.'] }).join(''))),
    })),
    text: 'Grüße 🎒.',
  },
  {
    quirk: 'JSON instead of a stream',
    dialects: ['openai'],
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
    quirk: 'JSON instead of a stream',
    dialects: ['ollama'],
    scene: one(() => ({
      type: 'application/json',
      chunks: [JSON.stringify({ message: { content: 'Whole.' }, done: true }, null, 2)],
    })),
    text: 'Whole.',
  },
  {
    quirk: 'a stream without a content type',
    scene: one((name) => ({ chunks: DIALECTS[name].says({ text: ['Plain.'] }) })),
    text: 'Plain.',
  },
  {
    quirk: 'usage chunk with choices null, no [DONE] after a finish_reason',
    dialects: ['openai'],
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
    dialects: ['openai'],
    scene: one(() => events(delta({ content: 'A' }), 'data: [DONE]\n\n')),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: 'a connection that breaks after the finish_reason',
    dialects: ['openai'],
    scene: one(() => ({ ...events(delta({ content: 'A' }) + finish()), after: 'break' })),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: 'silence after the finish_reason',
    dialects: ['openai'],
    scene: () => ({
      settings: { stallMs: 400 },
      replies: [{ ...events(delta({ content: 'A' }) + finish()), after: 'silence' }],
    }),
    text: 'A',
    reason: 'stop',
  },
  {
    quirk: 'a connection that stays open after done: true',
    dialects: ['ollama'],
    scene: one((name) => ({ ...hello(name), after: 'silence' })),
    text: 'Hello.',
  },
  {
    quirk: 'an end with neither finish_reason, [DONE] nor done: true',
    scene: one((name) => saying(name, { text: ['Half'], finish: null })),
    text: 'Half',
    failure: 'upstream_failed',
  },
  {
    quirk: 'a connection that breaks midway',
    scene: one((name) => ({ ...saying(name, { text: ['Half'], finish: null }), after: 'break' })),
    text: 'Half',
    failure: 'upstream_failed',
  },
  {
    quirk: 'a last line that is cut off',
    scene: one((name) => ({ ...hello(name), chunks: [`${hello(name).chunks?.[0]}`.slice(0, -9)] })),
    failure: 'upstream_failed',
  },
  { quirk: 'an empty body', scene: one((name) => ({ type: DIALECTS[name].type })), failure: 'upstream_failed' },
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
    scene: one((name) => ({
      type: DIALECTS[name].type,
      chunks: [...DIALECTS[name].says({ text: ['Half'], finish: null }), DIALECTS[name].error],
    })),
    text: 'Half',
    failure: 'upstream_failed',
    logged: { level: 'warn', excerpt: '"E"' },
  },
  {
    quirk: 'an event named error',
    dialects: ['openai'],
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
        scene: (name) => ({ replies: [refusing(status, after), hello(name)] }),
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
      scene: (name) => ({
        replies: [saying(name, { text: ['Let me look.'], ...ask('search', {}) }), refusing(status, '0')],
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
    scene: () => ({ settings: { firstByteMs: 300 }, replies: [{ silent: true }] }),
    failure: 'upstream_timeout',
    asked: 1,
  },
  {
    quirk: 'a silent start after the head',
    scene: (name) => ({ settings: { firstByteMs: 300 }, replies: [{ type: DIALECTS[name].type, after: 'silence' }] }),
    failure: 'upstream_timeout',
  },
  {
    quirk: 'silence midway',
    scene: (name) => ({
      settings: { stallMs: 400 },
      replies: [{ ...saying(name, { text: ['Half'], finish: null }), after: 'silence' }],
    }),
    text: 'Half',
    failure: 'upstream_timeout',
  },
  {
    quirk: 'silence longer than the whole may take',
    scene: () => ({ settings: { totalMs: 500 }, replies: [{ silent: true }] }),
    failure: 'upstream_timeout',
  },
  {
    quirk: 'a line over 1 MiB',
    scene: one((name) => ({ type: DIALECTS[name].type, chunks: [`data: {"x":"${'x'.repeat(MIB)}`], after: 'silence' })),
    failure: 'upstream_failed',
  },
  {
    quirk: 'an event of many lines over 1 MiB',
    dialects: ['openai'],
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
    scene: (name) => ({ replies: [saying(name, ask('search', { query: 'a' })), hello(name)] }),
    calls: searches('a'),
    text: 'Hello.',
  },
  {
    quirk: 'a tool call in fragments by index, two at once',
    dialects: ['openai'],
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
    dialects: ['openai'],
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
    dialects: ['openai'],
    scene: called(search('{"query":"1"}'), search('{"query":"2"}'), finish('stop')),
    calls: searches('1', '2'),
    text: 'Hello.',
  },
  {
    quirk: 'fragments without id or index, by position',
    dialects: ['openai'],
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
    dialects: ['openai'],
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
    dialects: ['openai'],
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
        hello('openai'),
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
      scene: (name) => ({
        replies: [
          name === 'openai'
            ? events(search(sent, { index: 0, id: 'a' }), finish('tool_calls'))
            : {
                type: 'application/x-ndjson',
                chunks: [
                  `${JSON.stringify({ message: { content: '', tool_calls: [{ function: { name: 'search', arguments: sent } }] }, done: true })}\n`,
                ],
              },
          hello(name),
        ],
      }),
      calls: [['search', args]],
      text: 'Hello.',
    }),
  ),
  {
    quirk: 'arguments of broken JSON once',
    dialects: ['openai'],
    scene: () => ({
      replies: [
        events(search('{"query', { index: 0, id: 'a' }), finish()),
        saying('openai', ask('search', {})),
        hello('openai'),
      ],
    }),
    calls: [['search', {}]],
    text: 'Hello.',
    warnings: [],
  },
  {
    quirk: 'arguments of broken JSON twice in a row',
    dialects: ['openai'],
    scene: () => {
      const broken = events(search('["a"]', { index: 0, id: 'a' }), finish())
      return { replies: [broken, broken, hello('openai')] }
    },
    calls: [],
    text: 'Hello.',
    asked: 3,
    reason: 'stop',
    warnings: ['tools_stopped'],
  },
  {
    quirk: 'unknown tool name once',
    scene: (name) => ({ replies: [saying(name, ask('find it', {})), hello(name)] }),
    calls: [],
    text: 'Hello.',
    warnings: [],
  },
  {
    quirk: 'unknown tool name twice, but not in a row',
    scene: (name) => ({
      replies: [saying(name, { calls: ['no', 'search', 'no'].map((tool) => ({ name: tool, args: {} })) }), hello(name)],
    }),
    calls: [['search', {}]],
    warnings: [],
  },
  {
    quirk: 'unknown tool name twice in a row',
    scene: (name) => ({
      replies: [
        saying(name, { calls: ['no', 'nope', 'search'].map((tool) => ({ name: tool, args: {} })) }),
        hello(name),
      ],
    }),
    calls: [],
    text: 'Hello.',
    warnings: ['tools_stopped'],
  },
  {
    quirk: 'same call three times',
    scene: (name) => ({
      replies: [
        saying(name, ask('search', { query: 'a' })),
        saying(name, ask('search', { query: 'a' })),
        saying(name, ask('search', { query: 'a' })),
        hello(name),
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
      scene: one((name) => saying(name, { text: [text] })),
      calls: [],
      text,
      asked: 1,
    }),
  ),
]

const wording: Row[] = [
  {
    quirk: 'reasoning_content, thinking',
    scene: one((name) => saying(name, { thought: 'Hmm.', text: ['Yes.'] })),
    text: 'Yes.',
  },
  {
    quirk: 'reasoning',
    dialects: ['openai'],
    scene: one(() => events(delta({ reasoning: 'Hmm.', content: '' }), delta({ content: 'Yes.' }), finish())),
    text: 'Yes.',
  },
  {
    quirk: '<think>, cut anywhere',
    scene: one((name) => saying(name, { text: ['<th', 'ink>a < b', '</thi', 'nk>\n\nYes', ' <', 'b>.'] })),
    text: 'Yes <b>.',
  },
  {
    quirk: '<think> twice and midway',
    scene: one((name) => saying(name, { text: ['<think>a</think>Yes<thinking>b</thinking>.'] })),
    text: 'Yes.',
  },
  {
    quirk: 'content as an array of parts',
    dialects: ['openai'],
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
    scene: (name) => ({ replies: [saying(name, {}), hello(name)] }),
    text: 'Hello.',
    asked: 2,
  },
  {
    quirk: 'an answer of nothing but thoughts',
    scene: (name) => ({ replies: [saying(name, { thought: 'Hmm.', text: ['<think>and never ends'] }), hello(name)] }),
    text: 'Hello.',
    asked: 2,
  },
  {
    quirk: 'an empty answer, twice',
    scene: (name) => ({ replies: [saying(name, {}), saying(name, { text: [' \n'] })] }),
    text: '',
    asked: 2,
    failure: 'upstream_failed',
  },
  {
    quirk: 'refuses max_tokens',
    dialects: ['openai'],
    scene: () => ({
      replies: [
        {
          status: 400,
          chunks: [
            '{"error":{"message":"Unsupported parameter: \'max_tokens\'. Use \'max_completion_tokens\' instead.","param":"max_tokens"}}',
          ],
        },
        hello('openai'),
      ],
    }),
    text: 'Hello.',
    asked: 2,
  },
  {
    quirk: 'refuses max_tokens, and max_completion_tokens as well',
    dialects: ['openai'],
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

describe.each(NAMES)('%s', (dialect) => {
  const rows = [...wire, ...failing, ...calling, ...wording].filter(({ dialects = NAMES }) =>
    dialects.includes(dialect),
  )

  test.each(rows.map((row) => [row.quirk, row] as const))('%s', async (_, row) => {
    const scene = row.scene(dialect)
    const played = await act({ ...scene, settings: { ...scene.settings, dialect } })
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
})
