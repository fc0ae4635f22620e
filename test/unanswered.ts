/**
 * `bun run unanswered`, after the tests have run with ANSWERED_ERRORS=FOLDER: names each error that the document declares
 * of an operation and that no test has seen it answer. Ends with 1 if there is one, or nothing to judge by.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { unansweredErrors } from './support/documented'
import { launch, serving } from './support/process'
import { TEMPORARY } from './support/temporary'

const record = process.env.ANSWERED_ERRORS
if (!record) throw new Error('ANSWERED_ERRORS must name the folder in which the tests have recorded errors.')
const files = readdirSync(record)
if (files.length === 0) throw new Error('No test has recorded an error: run the tests with the same ANSWERED_ERRORS.')
const answered = new Set(files.flatMap((name) => readFileSync(join(record, name), 'utf8').trim().split('\n')))

const folder = mkdtempSync(join(TEMPORARY, 'satchel-unanswered-'))
const server = await serving(folder, launch({ folder }))
const document = await (await fetch(`${server.url}/docs/json`)).json()
await server.stop('SIGTERM')
rmSync(folder, { recursive: true })

const missing = unansweredErrors(document, answered)
for (const name of missing)
  process.stdout.write(`The API document declares ${name}, which no test has seen answered.\n`)
process.stdout.write(`${answered.size} errors of operations were answered, ${missing.length} are declared in vain.\n`)
process.exitCode = missing.length === 0 ? 0 : 1
