import { join } from 'node:path'
import { parseQuick } from '../../../src/tasks/quick/parse'
import { describeParse, readUtterances } from './support'

/** Reads the whole table in the zone that this process was started in and prints what came out. */
const utterances = readUtterances(await Bun.file(join(import.meta.dir, 'utterances.txt')).text())
const answers = utterances.map(({ text, context }) => describeParse(parseQuick(text, context)))
await Bun.write(Bun.stdout, JSON.stringify({ offset: new Date(2026, 6, 1).getTimezoneOffset(), answers }))
