import { describe, expect, onTestFinished, test } from 'bun:test'
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'
import { command, EXECUTABLE, WHERE } from '../support/process'
import { startSpy } from '../support/proxy-spy'
import { runCommand, shareServer, startServer } from '../support/server'
import { makeKey } from '../support/world'
import { zipOf, zipOfTexts } from '../support/zip'

/** `satchel import FILE` as a process, against a server as its users start it. */

const shared = shareServer()
const KEY = makeKey(1)
let keys = 1
/** Somebody with a workspace of their own. */
const stranger = () => ({ url: shared().url, key: makeKey(++keys) })

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(makeFolder(), name)
  writeFileSync(path, content)
  return path
}

interface Who {
  readonly url: string
  readonly key?: string
}

const importing = ({ url, key = KEY }: Who, parameters: readonly string[], settings: Record<string, string> = {}) =>
  runCommand(makeFolder(), ['import', ...parameters, `--url=${url}`], { SATCHEL_KEY: key, ...settings })

const get = async ({ url, key = KEY }: Who, path: string) =>
  (await fetch(`${url}${path}`, { headers: { 'X-API-Key': key } })).json()

const CALENDAR = 'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\r\nSUMMARY:s\r\nEND:VTODO\r\nEND:VCALENDAR\r\n'

describe('a file', () => {
  test.each([
    ['two.zip', zipOfTexts({ 'a.md': '# a', 'b.md': '# b' }), 'notes', 'Imported: 2 created.\n'],
    ['tasks.ics', CALENDAR, 'tasks', 'Imported: 1 created.\n'],
    ['one.md', '# one', 'notes', 'Imported: 1 created.\n'],
    ['todo.txt', '(A) Call Ann +Family', 'tasks', 'Imported: 1 created.\n'],
    ['Work.csv', 'TYPE,CONTENT,PRIORITY\r\ntask,Call Ann,1\r\n', 'tasks', 'Imported: 1 created.\n'],
  ])('%s is imported, and then it is here already', async (name, content, kind, stdout) => {
    const me = stranger()
    const file = fileOf(name, content)
    const first = await importing(me, [file])
    expect([first.code, first.stdout]).toEqual([0, stdout])
    expect(first.stderr).toStartWith(`Importing ${name} as ${kind}.\n`)
    const second = await importing(me, [file])
    expect([second.code, second.stdout]).toEqual([0, stdout.replace('created', 'unchanged')])
  })

  test('of flashcards is imported, too', async () => {
    const me = stranger()
    const { code, stdout } = await importing(me, [fileOf('cards.csv', 'front,back\nla casa,the house\n')])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Imported: \d+ created\.\n$/)])
    expect((await get(me, '/api/flashcards/facts')).items).toHaveLength(1)
  })

  test('that is all of a workspace is merged into another', async () => {
    const me = stranger()
    await importing(me, [fileOf('two.zip', zipOfTexts({ 'a.md': '# a', 'b.md': '# b' }))])
    const exported = await fetch(`${me.url}/api/export`, { headers: { 'X-API-Key': me.key } })
    const archive = fileOf('all.zip', await exported.bytes())
    const other = stranger()
    const { code, stderr } = await importing(other, [archive])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Importing all\.zip as workspace\.\n/)])
    expect((await get(other, '/api/notes')).items).toHaveLength(2)
  })

  test('is only tried with --dry-run', async () => {
    const me = stranger()
    const { code, stdout } = await importing(me, ['--dry-run', fileOf('a.md', '# a')])
    expect([code, stdout]).toEqual([0, 'A dry run, nothing was changed. It would come to: 1 created.\n'])
    expect((await get(me, '/api/notes')).items).toEqual([])
  })

  test('becomes what --kind says', async () => {
    const me = stranger()
    const { code, stderr } = await importing(me, ['--kind=flashcards', fileOf('a.csv', 'a,b\n')])
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(/^Importing a\.csv as flashcards\.\n/)])
  })

  test('of which items fail exits 2, and tells those, with nothing in their names that a terminal obeys', async () => {
    const me = stranger()
    const file = zipOf([
      { name: 'good.md', data: '# good' },
      ...Array.from({ length: 25 }, (_, i) => ({
        name: `bad\x1b[31m ${i}.md`,
        data: new Uint8Array([0xff, 0xfe, 0xff]),
      })),
    ])
    const { code, stdout } = await importing(me, [fileOf('mixed.zip', file)])
    expect(code).toBe(2)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.slice(0, 2)).toEqual(['Imported: 1 created, 25 failed.', 'The first 20 that failed:'])
    expect(lines.slice(2)).toHaveLength(20)
    for (const line of lines.slice(2)) expect(line).toMatch(/^ {2}bad\uFFFD\[31m \d+\.md: .+$/)
  })

  test('that is broken exits 1, with the server’s sentence', async () => {
    const me = stranger()
    const { code, stdout, stderr } = await importing(me, [fileOf('a.zip', 'PK\x03\x04 and no more')])
    expect([code, stdout || stderr]).toEqual([
      1,
      expect.stringMatching(/(The import failed|Satchel cannot import)\. [A-Z].+\.\n$/),
    ])
  })

  test('far larger than the memory that the command takes is sent in pieces', async () => {
    const counted = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      maxRequestBodySize: 2 ** 40,
      async fetch(request) {
        let size = 0
        for await (const chunk of request.body ?? []) size += chunk.length
        return Response.json({ detail: `It has ${size} bytes.` }, { status: 413 })
      },
    })
    onTestFinished(() => counted.stop(true))
    const small = fileOf('small.csv', 'a,b\n')
    const large = fileOf('large.csv', 'a,b\n')
    truncateSync(large, 512 * 2 ** 20)
    const memory = async (file: string) => {
      const child = start([file, `--url=${counted.url}`])
      expect(await new Response(child.stderr).text()).toContain(`It has ${Bun.file(file).size} bytes.`)
      await child.exited
      return child.resourceUsage()?.maxRSS ?? 0
    }
    expect((await memory(large)) - (await memory(small))).toBeLessThan(128 * 2 ** 20)
  })
})

/** The command with pipes, to be stopped by a test. */
function start(parameters: readonly string[]) {
  const program = EXECUTABLE ? [EXECUTABLE] : [command[0] ?? '', 'src/cli.ts']
  const child = Bun.spawn([...program, 'import', ...parameters], {
    cwd: WHERE,
    env: { PATH: process.env.PATH, SATCHEL_KEY: KEY },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  onTestFinished(() => child.kill('SIGKILL'))
  return child
}

/** Reads until the text is there, and leaves the stream open: nobody writes to a closed one. */
async function until(stream: ReadableStream<Uint8Array>, text: string): Promise<void> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let read = ''
  while (!read.includes(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`it ended, and said: ${read}`)
    read += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
}

describe('Ctrl-C', () => {
  test('stops the run on the server, and says what stays', async () => {
    const server = await startServer()
    const notes = Array.from({ length: 8000 }, (_, i) => [`note ${i}.md`, `# Note ${i}\n\n${'word '.repeat(200)}`])
    const child = start([fileOf('many.zip', zipOfTexts(Object.fromEntries(notes))), `--url=${server.url}`])
    await until(child.stderr, 'of 8,000')
    child.kill('SIGINT')
    const stdout = await new Response(child.stdout).text()
    expect([await child.exited, stdout]).toEqual([1, expect.stringMatching(/^Stopped\. .* stays: [\d,]+ created\.\n$/)])
    const [run] = (await get(server, '/api/imports')).items
    expect(run).toMatchObject({ kind: 'notes', state: 'cancelled' })
    const usage = await get(server, '/api/usage')
    expect([usage.workspace.resources, stdout]).toEqual([
      run.totals.created,
      expect.stringContaining(` ${run.totals.created.toLocaleString('en')} created`),
    ])
    expect(run.totals.created).toBeWithin(0, 8000)
  })

  test('before the server has the file imports nothing', async () => {
    const deaf = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: { open: (socket) => void socket.pause(), data() {} },
    })
    onTestFinished(() => deaf.stop(true))
    const file = fileOf('large.csv', 'a,b\n')
    truncateSync(file, 256 * 2 ** 20)
    const child = start([file, `--url=http://127.0.0.1:${deaf.port}`])
    await until(child.stderr, '% sent')
    child.kill('SIGINT')
    expect([await child.exited, await new Response(child.stdout).text()]).toEqual([
      1,
      'Stopped before the server had the whole file: nothing was imported.\n',
    ])
  })
})

describe('what is wrong', () => {
  const file = fileOf('a.md', '# a')
  const nowhere = { url: 'http://127.0.0.1:1' }

  test('an argument with a key in it is refused, and not repeated', async () => {
    const { code, stdout, stderr } = await importing(nowhere, [file, `--key=${KEY}`])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toStartWith('Satchel cannot import. Put the key into SATCHEL_KEY: ')
    expect(stderr).not.toContain(KEY)
  })

  test('so is the key of another server, if it is the one that is set', async () => {
    const { stderr } = await importing(nowhere, [file, 'a-word-of-theirs'], { SATCHEL_KEY: 'a-word-of-theirs' })
    expect(stderr).toContain('Put the key into SATCHEL_KEY')
  })

  test.each([
    ['no key', [file], { SATCHEL_KEY: '' }, /^Set SATCHEL_KEY to your key; /],
    ['an unknown option', [file, '--fast'], {}, /^It has no option --fast: satchel import FILE /],
    ['no server', [file], {}, /^No server answers at http:\/\/127\.0\.0\.1:1\. Start it with /],
  ])('%s is one sentence', async (_, parameters, settings, sentence) => {
    const { code, stdout, stderr } = await importing(nowhere, parameters, settings)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.replace(/^(Importing .*|\d+ % sent)\n/gm, '')).toMatch(/^Satchel cannot import\. .*\n$/)
    expect(stderr.trimEnd().split('Satchel cannot import. ')[1]).toMatch(sentence)
  })

  test('without --url it asks the port that the settings name', async () => {
    const settings = { SATCHEL_KEY: KEY, PORT: '1' }
    const { stderr } = await runCommand(makeFolder(), ['import', file], settings)
    expect(stderr).toContain('No server answers at http://127.0.0.1:1.')
  })

  test('a connection that breaks tells whether the server had the whole file', async () => {
    const large = fileOf('large.csv', 'a,b\n')
    truncateSync(large, 64 * 2 ** 20)
    for (const [sent, words] of [
      [file, 'broke before it answered: the import may continue. Importing the file again duplicates nothing.\n'],
      [large, 'broke while the file was sent: nothing was imported. The file may be too large for the server.\n'],
    ] as const) {
      let received = ''
      const rude = Bun.listen({
        port: 0,
        hostname: '127.0.0.1',
        socket: {
          data(socket, bytes) {
            received += bytes.toString('latin1')
            const body = received.split('\r\n\r\n', 2)[1] ?? ''
            // Of the small file it reads all, of the large one what came first.
            if (sent === large || body.length >= statSync(file).size) socket.end()
          },
        },
      })
      onTestFinished(() => rude.stop(true))
      const { code, stderr } = await importing({ url: `http://127.0.0.1:${rude.port}` }, [sent])
      expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
    }
  })

  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('the key is not sent to the proxy in %s', async (name) => {
    using proxy = startSpy()
    const { code, stdout } = await importing(stranger(), [file], { [name]: proxy.url })
    expect([code, stdout, proxy.connections]).toEqual([0, 'Imported: 1 created.\n', 0])
  })

  test('a redirect is not followed with the key', async () => {
    const keys: (string | null)[] = []
    const elsewhere = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        keys.push(request.headers.get('X-API-Key'))
        return new Response()
      },
    })
    const gate = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.redirect(String(elsewhere.url), 307),
    })
    onTestFinished(async () => {
      await Promise.all([elsewhere.stop(true), gate.stop(true)])
    })
    const { code, stderr } = await importing({ url: String(gate.url) }, [file])
    expect([code, stderr, keys]).toEqual([1, expect.stringContaining('redirects to another address'), []])
  })

  test('what the server says, it says: too large, the disk full', async () => {
    const server = await startServer({ settings: { IMPORT_BYTES: '1000' } })
    const large = await importing(server, [fileOf('a.md', 'x'.repeat(2000))])
    expect([large.code, large.stderr]).toEqual([1, expect.stringMatching(/cannot import\. .*1,?000 .*\.\n$/)])
    const full = await startServer({ settings: { MIN_FREE_BYTES: String(2 ** 52) } })
    const refused = await importing(full, [file])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/cannot import\. .*disk.*\.\n$/)])
  })
})
