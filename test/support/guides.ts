import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../../bench/server'
import { packageManager } from '../../package.json'
import type { Guide } from '../../src/openapi/reference-pages'
import { makeFolder } from './folder'
import { GUIDE_HOST, startGuideNginx } from './nginx'
import { EXECUTABLE } from './process'
import { startServer } from './server'

/**
 * Runs a guide as its reader does, in order: a block of `sh` is pasted into a shell; one with a file name after its language
 * is saved under this name; one of `text` is what the commands before it print, where `…` is anything.
 */

/** The address in the guides, in whose place that of the server is put. */
export const GUIDE_BASE = 'http://127.0.0.1:3000'
/** The port of a server that a guide starts beside the one that shows it. */
const OWN_PORT = '3001'
const GUIDE_HOST_AND_PORT = '127.0.0.1:3000'
const NAMED = new RegExp([GUIDE_BASE, GUIDE_HOST_AND_PORT, OWN_PORT].join('|').replaceAll('.', '\\.'), 'g')
const ROOT = join(import.meta.dir, '../..')
/** What a reader has in the folder of the source, in which the commands are typed. */
const SOURCE = ['package.json', 'src', 'public', 'docs', 'tsconfig.json']
/** Where Bun keeps the packages that it has fetched. */
const PACKAGES = process.env.BUN_INSTALL_CACHE_DIR ?? join(homedir(), '.bun/install/cache')
/** What a server needs beside it that the reader's commands install and start. */
const UNINSTALLED = [...SOURCE, 'app', 'build', 'bun.lock', 'bunfig.toml']
/** The command by which the README starts the server, in the terminal that it then keeps. */
const START = / run start$/
/** The README, whose commands are run as those of a guide. */
export const README: Guide = {
  name: 'README',
  title: 'Satchel',
  markdown: readFileSync(join(ROOT, 'README.md'), 'utf8'),
}

/** Printed after each block of commands. */
const END = '\u001e'
/** A fenced block of a guide. */
interface Block {
  readonly language: string
  /** The name under which the reader saves it; '' for none. */
  readonly file: string
  readonly text: string
}

/** Lists the fenced blocks of a guide, in their order. */
export function readBlocks(markdown: string): Block[] {
  const fences = markdown.matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm)
  return [...fences].map(([, language = '', file = '', text = '']) => ({ language, file, text }))
}

/** What came of a guide: how its commands ended, what they printed, and the lines of `text` that they did not print. */
interface GuideRun {
  readonly code: number
  readonly output: string
  readonly missing: readonly string[]
}

/**
 * Runs a guide on a new server, or on those that its own commands start with `satchel serve`.
 * @param running the address of a server to use instead
 */
export async function runGuide({ markdown }: Guide, running?: string): Promise<GuideRun> {
  const folder = makeFolder()
  const blocks = readBlocks(markdown)
  const installs = blocks.some((block) => isCommand(block) && START.test(block.text.trimEnd()))
  // What is installed and built there must not be in the folder that the tests run in.
  if (installs) for (const name of UNINSTALLED) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  else for (const name of [...SOURCE, 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name))
  const startsServer = installs || blocks.some((block) => isCommand(block) && /\bsatchel serve\b/.test(block.text))
  const url = startsServer
    ? `http://127.0.0.1:${freePort()}`
    : (running ?? (await startServer({ folder: join(folder, 'data') })).url)
  const { host, port } = new URL(url)
  // In one pass: a port may have the digits of another one.
  const here = (text: string) =>
    text.replaceAll(NAMED, (name) => ({ [GUIDE_BASE]: url, [GUIDE_HOST_AND_PORT]: host })[name] ?? port)
  for (const { file, text } of blocks) if (file !== '') save(join(folder, file), here(text))
  const commands = blocks.filter(isCommand)
  const script = [
    'exec 2>&1',
    'set -e',
    ...commands.map(({ text }) => `${inTerminal(here(text), url)}printf '${END}'`),
  ].join('\n')
  const servers = blocks.filter(({ language, text }) => language === 'nginx' && /^server \{/m.test(text))
  await using nginx =
    servers.length > 0 ? await startGuideNginx(servers.map(({ text }) => here(text)).join('\n')) : null
  if (nginx)
    writeFileSync(join(folder, '.curlrc'), `insecure\nconnect-to = "${GUIDE_HOST}:443:127.0.0.1:${nginx.port}"\n`)
  const { code, text } = await runScript(folder, startsServer ? { PORT: port } : {}, script)
  const expected = blocks.map((block) => ({ ...block, text: here(block.text) }))
  return { code, output: text.replaceAll(END, '\n'), missing: findMissing(expected, text) }
}

/** Whether a block is pasted into the shell. */
export const isCommand = ({ language, file }: Block) => language === 'sh' && file === ''

/** Leaves a server that would keep the terminal running beside the next commands. */
function inTerminal(text: string, url: string): string {
  if (!START.test(text.trimEnd())) return text
  return `${text.trimEnd()} >server.log &\ncurl -sf --retry 60 --retry-delay 1 --retry-connrefused -o ready.json ${url}/readyz\n`
}

function save(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Runs commands with `satchel` on the path, `npx` that has fetched Bun already, and a home of their own. */
async function runScript(
  folder: string,
  // The reader of a guide sets no port for a server that runs already.
  settings: Readonly<Record<string, string>>,
  script: string,
): Promise<{ code: number; text: string }> {
  const programs = makeFolder()
  const addProgram = (name: string, script: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(programs, name), 0o755)
  }
  const program = EXECUTABLE ? `"${EXECUTABLE}"` : `"${process.execPath}" "${ROOT}/src/cli.ts"`
  addProgram('satchel', `exec ${program} "$@"`)
  addProgram('npx', `test "$1 $2" = '-y ${packageManager}' && shift 2 && exec "${process.execPath}" "$@"`)
  const path = [programs, dirname(process.execPath), process.env.PATH, '/usr/sbin'].join(':')
  const child = Bun.spawn(['sh', '-c', script], {
    cwd: folder,
    env: {
      PATH: path,
      HOME: folder,
      BUN_INSTALL_CACHE_DIR: PACKAGES,
      ...settings,
      LC_ALL: 'C.UTF-8',
      LOG_LEVEL: 'warn',
    },
    stdout: 'pipe',
    stdin: 'ignore',
    // A group of its own, so that what it starts ends with it.
    detached: true,
  })
  const printed = new Response(child.stdout).text()
  const code = await child.exited
  endGroup(child.pid)
  return { code, text: await printed }
}

/** Ends what a script left running. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // Nothing is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Lists the lines of `text` blocks that the commands right before each did not print, in this order. */
function findMissing(blocks: readonly Block[], output: string): string[] {
  const printed = output.split(END)
  let at = -1
  return blocks.flatMap((block) => {
    if (isCommand(block)) at++
    if (block.language !== 'text' || block.file !== '') return []
    let rest = printed[at] ?? ''
    return block.text.split('\n').filter((line) => {
      const pattern = line
        .replaceAll(/^…|…$/g, '')
        .split('…')
        .map((part) => RegExp.escape(part))
        .join('.*?')
      const found = new RegExp(pattern).exec(rest)
      rest = found ? rest.slice(found.index + found[0].length) : rest
      return !found
    })
  })
}
