# The words of the status page. Both languages have the same keys and arguments; a test holds that.

page-title = Sunup · { $date }
page-skip = Skip to today's tasks
page-today = Today
page-board = Today
page-tickets = Needs you
page-alerts = Mind this
page-next = Next
page-report = Last report
page-report-none = No report was made yet.
page-report-made = made at { $time }
page-report-all = Open the report
page-state = Daemon
page-nothing-to-come = Nothing is scheduled.
page-no-tasks = No tasks yet. The first one will stand here as soon as its file is written.
page-no-tickets = Nothing waits for you.

page-headline-to-come = { $count } still to come today
page-headline-quiet = Nothing to do today
page-counts-done = { $count } done
page-counts-open = { $count } open

page-run = Run now
page-run-task = Run now: { $task }
page-close = Done, close
page-close-ticket = Done, close ticket { $number }
page-closed = Ticket { $number } is closed; the next round looks again
page-runs-now = starts now
page-not-run = not started
page-no-answer = nothing here can run
page-failed = did not work
page-lost = The daemon does not answer. Below is what it last said; see whether sunup serve still runs.

page-time-today = { $time }
page-time-tomorrow = tomorrow { $time }
page-time-yesterday = yesterday { $time }
page-until = until { $time }
page-next-due = next { $time }
page-done-at = proved { $time }
page-no-slot = does not run today
page-account = account { $account }
page-ticket-link = ticket { $number }
page-picture = Picture
page-page = Page:
page-sign-in = In a terminal
page-command = Or in a terminal

page-days = Last { $days } days
page-days-label = Last { $days } days: { $counts }
page-days-none = Last { $days } days: nothing on record
page-day = { $date }: { $status }
square-good = done
square-attention = not proved, waiting, or missed
square-bad = not done
square-off = nothing to do
square-none = nothing on record
square-good-count = { $count ->
    [one] 1 day done
   *[other] { $count } days done
}
square-attention-count = { $count ->
    [one] 1 day not proved, waiting, or missed
   *[other] { $count } days not proved, waiting, or missed
}
square-bad-count = { $count ->
    [one] 1 day not done
   *[other] { $count } days not done
}
square-off-count = { $count ->
    [one] 1 day with nothing to do
   *[other] { $count } days with nothing to do
}

page-wellness-fresh = new, nothing to show yet
page-wellness-last_verified = well
page-wellness-last_failed = the last day was not all done
page-wellness-wedged = the daemon hangs: look at its log, and start it again
page-round-now = at work since { $time }
page-round-last = last round ended { $time }
page-round-next = next round { $time }
page-round-fault = The last round broke off: { $reason }
page-files-fault = The files have faults; those before the change still hold: { $reason }
page-since = running since { $time }
page-zone = zone { $zone }

reason-waiting = waits for its next try
reason-queued = stands in the queue

door-locked-title = Come in by the link
door-locked-text = Run this command on this machine, and open the link that it prints. A link works once.
door-link-title = This link no longer works
door-link-text = A link works once, within ten minutes. Get another:
door-host-title = Not the address of this page
door-host-text = Call this page by 127.0.0.1 or localhost, with its port.
door-foreign-title = Refused what another page sent
door-foreign-text = Only the status page itself, or a program with the token, can start anything here.
door-nothing-title = Nothing here
door-nothing-text = There is no page at this address, or nothing on record for that day.
door-unavailable-title = No answer now
door-unavailable-text = The ledger or the daemon does not answer; why stands below, and in the daemon's log.
door-other-title = This was not understood
door-other-text = This address cannot be asked that way.
door-back = Back to the status page
