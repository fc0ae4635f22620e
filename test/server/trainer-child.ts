/** What an executable of this prints are the weights that the trainer gives for no answers, or why it gives none. */
import { optimize } from '../../src/flashcards/optimizing/optimizer'

const weights = await optimize([]).catch((error: unknown) => String(error))
process.stdout.write(JSON.stringify(weights))
process.exit(0)
