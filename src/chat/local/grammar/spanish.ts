import type { CommandWords } from './english'

/** Spanish. */
export const SPANISH_WORDS: CommandWords = {
  // Things.
  ...{ task: 'tarea|tareas|recordatorio', note: 'nota', notes: 'nota|notas', cards: 'tarjetas|tarjeta|fichas|ficha' },
  ...{ deck: 'mazo|deck', summary: 'resumen', project: 'proyecto', folder: 'carpeta', tag: 'etiqueta' },
  bin: 'papelera',
  list: 'mi lista|la lista|mi lista de tareas|la lista de tareas|lista de tareas|mis tareas',
  // Verbs.
  put: 'añade|añadir|agrega|agregar|pon|poner|escribe|escribir|apunta|anota',
  make: 'añade|añadir|agrega|agregar|crea|crear|escribe|haz|nueva|nuevo',
  ...{ rename: 'renombra|renombrar|cambia el nombre de|cambiar el nombre de', dub: 'renombra' },
  trash: 'borra|borrar|elimina|eliminar|quita|quitar|tira',
  ...{ tick: 'tacha|tachar', finish: 'completa|completar|termina|terminar|tacha|tachar' },
  ...{ reopen: 'reabre|reabrir|desmarca', state: 'marca|marcar' },
  move: 'mueve|mover|pospone|posponer|pospón|pospon|aplaza|aplazar|pasa|cambia',
  file: 'mueve|mover|pon|poner|guarda|mete|tira',
  ...{ keep: 'guarda|pon|añade', draft: 'haz|hazme|crea|créame|genera|dame' },
  ...{ labels: 'etiqueta|marca', restore: 'restaura|restaurar|recupera|recuperar', take: 'saca' },
  ...{ begin: 'crea|crear|escribe|haz|añade|agrega', bare: 'tarea|nueva tarea' },
  ...{ remind: 'recuérdame|recuerdame|recordarme', find: 'busca|buscar|encuentra|muestra|muéstrame|enséñame' },
  ...{ sum: 'resume|resumir', memo: 'nota|nueva nota|anota|apunta' },
  // Words between verbs and things.
  copula: 'es|son|sería|serían|era|será|fue',
  ...{ det: 'el|la|los|las|un|una|mi|mis|esta|este|nueva|nuevo', my: 'la|mi', fresh: 'una|nueva' },
  ...{ named: 'llamada|titulada|con el título', to: 'a|en|al|sobre', and: 'y|e' },
  ...{ off: 'de|del', from: 'de|con|sobre|a partir de', of: 'de|del', by: 'por|con', as: 'con|como' },
  into: 'a|como|por',
  ...{ onto: 'a|al|para|para el|hasta|hasta el|el', conn: 'que|de que|:|,|llamada|para', saying: ':|que' },
  ...{
    says: ':|,|que',
    telling: 'que|de que',
    that: 'que',
    about: 'sobre|con',
    joint: ',|;|.|!|y|entonces|por favor',
    me: 'me',
    please: 'y|luego|también|por favor|¿puedes|¿podrías|puedes|podrías|puede|podría',
  },

  // Levels and states of tasks.
  done: 'hecha|hecho|como hecha|como hecho|como completado|como terminado|como completada|como terminada|completada|terminada',
  ...{
    undone: 'pendiente|abierta|no hecha|como no hecha|como pendiente|como abierta',
    p1: 'urgentes|urgente|prioridad máxima|prioridad 1',
  },
  ...{ p2: 'alta prioridad|prioridad alta|prioridad 2', p3: 'prioridad media|prioridad 3' },
  ...{ p4: 'baja prioridad|prioridad baja|prioridad 4', p0: 'sin prioridad' },
  finished: 'completadas|completada|hechas|terminadas|completado|terminado|hecho',
  ...{ overdue: 'vencidas|atrasadas|vencida', undated: 'sin fecha', recurring: 'recurrentes|recurrente|repetidas' },
  ...{ blocked: 'bloqueadas', in_progress: 'en curso|en progreso', cancelled: 'canceladas' },
  // Words that ask, and what tells that nothing is to be done.
  ...{ ask: 'qué|quién|cuándo|dónde|cómo|cuál|cuánto|por qué|si', subject: 'yo|tú|él|ella|he|has' },
  ...{ refuse: 'no|nunca|jamás|ningún|ninguna', shows: 'muestra|muéstrame|enséñame|lista|dame|dime|ver' },
  owns: 'tengo|mis|mi|quedan|pendientes|abiertas|me quedan',
  fill: 'qué|cuáles|cuál|que|hay|he|ha|han|son|está|están|es|fue|las|los|el|la|de|del|en|con|y|todas|todos|todo|para|se|me|a|al|por|esta|eso',
  howmany: 'cuántas|cuántos|número de',
  agenda:
    'qué tengo que hacer|qué debo hacer|qué tengo para|qué tengo|qué hay para|qué hay previsto|qué está previsto|agenda|qué hay que hacer',
  changes: 'qué ha cambiado|qué cambió|qué hay de nuevo|qué he cambiado|qué cambié|últimos cambios|cambios',
  deleted: 'borré|borrado|borradas|borrados|eliminadas|eliminado',
  clock: 'qué hora es|qué día es|qué fecha es|cuál es la fecha',
  study: 'para repasar|para estudiar|que repasar|que estudiar',
  ...{ hello: 'hola|buenos días|buenas tardes|buenas noches', thank: 'gracias|muchas gracias|adiós|hasta luego' },
  help: 'ayuda|ayúdame|qué puedes hacer|qué sabes hacer',
  // What a question can be narrowed to.
  ...{
    labelled: 'con la etiqueta|tienen la etiqueta|etiquetadas|con etiqueta',
    inproject: 'en el proyecto|del proyecto',
  },
  ...{ infolder: 'en la carpeta|de la carpeta', indeck: 'en el mazo|del mazo', inside: 'en|de|del' },
  ...{ created: 'creadas|creada|creado|añadidas|escritas', updated: 'modificadas|modificada|cambiadas|editadas' },
  ...{ due: 'vence|vencen|previstas|previsto', latest: 'últimas notas|recientes|más recientes|última nota' },
  newest: 'últimas',
  // Dates.
  day: 'hoy|mañana|ayer|anteayer|semana|semanas|mes|año|día|días|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre',
  ...{ dated_: 'esta|este|próxima|próximo|pasada|pasado|última|último|la|el', today: 'hoy', tomorrow: 'mañana' },
  ...{ week: 'esta semana', before: 'antes de|antes del', until: 'hasta', after: 'después de|después del' },
  since: 'desde|desde el',
}
