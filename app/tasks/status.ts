import type { Task } from '../api/types'

/** Whether a task is still to be done. */
export const isOpen = ({ status }: Pick<Task, 'status'>) => status === 'open' || status === 'in_progress'
