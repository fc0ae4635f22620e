/**
 * `bun run anki-client --library=FOLDER`: takes a collection there and back between this server and Anki's own library
 * (the folder above its Python package `anki`, of version 2.1.15, the last one that is Python alone), with edits and
 * answers on both sides. Prints a line for each story; ends with 1 if something did not hold.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Place } from '../torture/row'
import { Anki } from './anki'
import { thereAndBack } from './there-and-back'

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']

const { values } = parseArgs({ options: { library: { type: 'string' } } })
const { library } = values
if (!library) throw new Error('Name --library=FOLDER.')

const say = (line: string) => void process.stdout.write(`${line}\n`)
let isSound = true
for (const zone of ZONES) {
  await using place = new Place()
  const { did, held, broken } = await thereAndBack(place, new Anki(library, join(place.folder, 'anki'), zone), zone)
  say(`${did}: ${broken.length === 0 ? 'held' : 'BROKEN'}: ${held.join('; ')}`)
  for (const fault of broken) say(`  broken: ${fault}`)
  if (broken.length > 0) isSound = false
}
process.exitCode = isSound ? 0 : 1
