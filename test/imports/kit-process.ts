/** A server with the kit of a test, in a process of its own, which can be killed. Its folder is its first argument. */
import { makeKit } from './kit'

const kit = await makeKit({ folder: process.argv[2] ?? '' })
const url = kit.listen()
await kit.imports.tidy()
await kit.imports.resume()
process.stdout.write(`${url}\n`)
