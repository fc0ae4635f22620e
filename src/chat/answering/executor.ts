import type { createExecutor } from '../tools/executor'

/** What runs tools, as far as answers need it: everything that chat changes goes through it. */
export type Executor = Pick<ReturnType<typeof createExecutor>, 'call' | 'confirm' | 'cancel'>
