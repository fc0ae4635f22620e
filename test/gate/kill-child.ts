/** A server that a test kills: argument 1 is its data folder; it prints its port. The clock stands still. */
import { makeWorld } from './world'

const world = makeWorld({ folder: process.argv[2] ?? '', settings: { apiLimitPerHour: 1_000_000 } })
process.stdout.write(`${world.listen()}\n`)
process.on('SIGTERM', async () => {
  await world.app.stop(true)
  world.meter.close()
  process.exit(0)
})
