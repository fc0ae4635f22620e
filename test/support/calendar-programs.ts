import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Debian's vdirsyncer, todoman and khal, with a folder of their own. */

/** The zone in which the programs show floating times. */
export const ZONE = 'Europe/Berlin'

/** A task as todoman tells of it. `due` is in seconds since 1970. */
export interface TodomanTask {
  readonly id: number
  readonly summary: string
  readonly due: number | null
  readonly priority: number
  readonly percent: number
}

/** Where vdirsyncer gets a calendar from: a file, which it also writes, or an address. */
export type CalendarOrigin = { readonly path: string } | { readonly url: string }

/** @param folder for the calendars by name, one file for each UID, and the programs' own files */
export function createCalendarPrograms(folder: string, origins: Readonly<Record<string, CalendarOrigin>>) {
  const at = (...names: string[]) => join(folder, ...names)
  for (const name of Object.keys(origins)) mkdirSync(at('calendars', name), { recursive: true })
  writeFileSync(at('vdirsyncer.conf'), vdirsyncerConfig(folder, origins))
  writeFileSync(
    at('todoman.py'),
    `path = ${JSON.stringify(at('calendars', '*'))}\ncache_path = ${JSON.stringify(at('todoman.db'))}\ndate_format = "%Y-%m-%d"\ntime_format = "%H:%M"\n`,
  )
  const locale =
    'timeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M'
  const calendars = Object.keys(origins).map((name) => `[[${name}]]\npath = ${at('calendars', name)}\n`)
  writeFileSync(
    at('khal.conf'),
    `[calendars]\n${calendars.join('')}[sqlite]\npath = ${at('khal.db')}\n[locale]\nlocal_timezone = ${ZONE}\ndefault_timezone = ${ZONE}\n${locale}\n`,
  )

  async function run(program: string, ...parameters: string[]): Promise<string> {
    const path = Bun.which(program)
    if (!path) throw new Error(`${program} is missing: install Debian's package ${program}.`)
    const env = { PATH: process.env.PATH, HOME: folder, TZ: ZONE, LC_ALL: 'C.UTF-8' }
    const child = Bun.spawn([path, ...parameters], {
      cwd: folder,
      env,
      stdout: 'pipe',
      stderr: 'pipe',
      stdin: 'ignore',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    // What they cannot read, they leave out with a line here. todoman edits no series of which one date was moved.
    const told = stderr
      .split('\n')
      .filter((line) => /error|warning|invalid|could not|failed|traceback/i.test(line) && !/multiple todos/.test(line))
    if ((await child.exited) !== 0 || told.length > 0) throw new Error(`${program} ${parameters.join(' ')}: ${stderr}`)
    return stdout
  }

  return {
    /** Brings each calendar and its origin to the same state. */
    async sync(): Promise<void> {
      await run('vdirsyncer', '-c', at('vdirsyncer.conf'), 'discover')
      await run('vdirsyncer', '-c', at('vdirsyncer.conf'), 'sync')
    },
    /** Lists the tasks of a calendar by their titles. */
    async listTodos(calendar: string): Promise<TodomanTask[]> {
      const text = await run('todoman', '-c', at('todoman.py'), '--porcelain', 'list', '--status', 'ANY', calendar)
      return JSON.parse(text).toSorted((a: TodomanTask, b: TodomanTask) => (a.summary < b.summary ? -1 : 1))
    },
    todoman: (...parameters: string[]) => run('todoman', '-c', at('todoman.py'), ...parameters),
    /** Lists the events of a calendar from one day to another, as `title|begin|end`. */
    async listEvents(calendar: string, from: string, to: string): Promise<string[]> {
      const format = '{title}|{start-long}|{end-long}'
      const parameters = ['list', '-a', calendar, '--once', '--day-format', '', '--format', format, from, to]
      return (await run('khal', '-c', at('khal.conf'), ...parameters)).split('\n').filter(Boolean)
    },
    readItems: (calendar: string): string[] =>
      readdirSync(at('calendars', calendar)).map((name) => readFileSync(at('calendars', calendar, name), 'utf8')),
  }
}

function vdirsyncerConfig(folder: string, origins: Readonly<Record<string, CalendarOrigin>>): string {
  const pairs = Object.entries(origins).map(([name, origin]) => {
    const kind =
      'url' in origin ? `type = "http"\nurl = "${origin.url}"` : `type = "singlefile"\npath = "${origin.path}"`
    const vdir = `type = "filesystem"\npath = "${join(folder, 'calendars', name)}"\nfileext = ".ics"`
    return `[pair ${name}]\na = "${name}_origin"\nb = "${name}_vdir"\ncollections = null\n[storage ${name}_origin]\n${kind}\n[storage ${name}_vdir]\n${vdir}\n`
  })
  return `[general]\nstatus_path = "${join(folder, 'status')}"\n${pairs.join('')}`
}
