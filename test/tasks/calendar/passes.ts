import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Line, Step, StoredItem } from '../../../src/imports/kind'
import { createSourceFile } from '../../../src/imports/read-file'
import { SideFile, SideWriter } from '../../../src/imports/side-file.sqlite'
import { calendarImport } from '../../../src/tasks/files/import'
import type { CalendarParams } from '../../../src/tasks/files/import-item'
import { createFindOrCreatePlace, createRepairPlaces } from '../../../src/tasks/files/places'
import { readCalendar } from '../../../src/tasks/files/read-calendar'
import { createUseLabels } from '../../../src/tasks/groups/labels'
import { createProjects } from '../../../src/tasks/groups/projects'
import { createSections } from '../../../src/tasks/groups/sections'
import { createTaskWriter } from '../../../src/tasks/writer'
import { makeFolder } from '../../support/folder'
import { makeWorkspaces } from '../../support/workspaces'
import { sessionOf } from '../support'
import type { Caller, makeCalendarWorld } from './support'

type World = Awaited<ReturnType<typeof makeCalendarWorld>>

export interface Imported {
  readonly items: (Line & { readonly where: string; readonly type: string })[]
  /** How many steps there were behind the last pass. */
  readonly behind: number
  /** Milliseconds of the longest step, and of all. */
  readonly longest: number
  readonly took: number
}

/** Takes a calendar file through the passes of its import, or the first of them, in groups of exactly `size` items. */
export async function importInGroups(
  world: World,
  me: Caller,
  file: string,
  size: number,
  params: Partial<CalendarParams> = {},
  passes = Number.POSITIVE_INFINITY,
): Promise<Imported> {
  const made = await me.make({ title: 'of the workspace' })
  const { workspace } = await sessionOf(world, made.id)
  await me.call('DELETE', `/api/tasks/${made.id}?permanent=true`)
  const side = await read(file)
  const kind = kindOf(world)
  const took: number[] = []
  try {
    for (const [n, pass] of kind.passes.slice(0, passes).entries())
      for (let seq = 0; seq < side.total; seq += size)
        took.push(
          await world.db.transaction(async (db) => {
            const began = performance.now()
            const items = side.items(seq, size)
            const readable = items.filter(({ isFaulty }) => !isFaulty)
            const step: Step<CalendarParams> = {
              session: { workspace, db },
              params: {
                on_conflict: 'skip',
                project_id: null,
                file_name: null,
                format: 'ical',
                now: 0,
                time_zone: null,
                language: 'en',
                ...params,
              },
              line: (at) => side.line(at),
              lineOfKey: (key, type) => side.lineOfKey(key, type),
              hasMet: (resource) => side.hasMet(resource),
              itemsOfKey: <Value>(key: string, type?: string) => side.itemsOfKey(key, type) as StoredItem<Value>[],
              bytes: (at) => side.bytes(at),
            }
            const lines = await pass(step, readable as never)
            const told = readable.flatMap((item, i) => {
              const line = lines[i]
              return line ? [{ item, line }] : []
            })
            side.storeLines(n, seq + items.length, told)
            return performance.now() - began
          }),
        )
    const inPasses = took.length
    for (let more = passes > kind.passes.length; more; )
      more = await world.db.transaction(async (db) => {
        const began = performance.now()
        const rest = (await kind.finish?.({ session: { workspace, db } } as Step<CalendarParams>)) ?? false
        took.push(performance.now() - began)
        return rest
      })
    const behind = took.length - inPasses
    return { items: report(side), behind, longest: Math.max(...took), took: took.reduce((sum, ms) => sum + ms, 0) }
  } finally {
    side.close()
  }
}

function report(side: SideFile) {
  return side
    .listLines(0, side.total)
    .map(({ item: { where, type }, line: { seq: _, ...line } }) => ({ where, type, ...line }))
}

async function read(file: string): Promise<SideFile> {
  const folder = makeFolder()
  const [path, items] = [join(folder, 'file'), join(folder, 'side.db')]
  await Bun.write(path, file)
  const handle = openSync(path, 'r')
  const writer = new SideWriter(items)
  for (const part of readCalendar(createSourceFile(path, handle))) if ('where' in part) writer.add(part)
  writer.finish({ format: 'ical' })
  closeSync(handle)
  return new SideFile(items)
}

let count = 0

/** As the app makes it, but with room for any file. */
function kindOf({ db, clock }: World) {
  const now = () => clock.now
  const ids = () => `01910000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`
  const { record, reserve } = makeWorkspaces({ db, now })
  const writer = createTaskWriter({ now, record, useLabels: createUseLabels({ now, ids, record }) })
  const groups = { now, ids, record, writer }
  const findOrCreatePlace = createFindOrCreatePlace({
    projects: createProjects(groups),
    sections: createSections(groups),
  })
  const settle = createRepairPlaces({ now, record, writer })
  return calendarImport({ now, ids, writer, reserve, findOrCreatePlace, settle })
}
