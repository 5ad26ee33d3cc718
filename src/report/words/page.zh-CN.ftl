# 状态页的用词。两种语言的键和参数必须一致，由测试保证。

page-title = 晨报 · { $date }
page-skip = 跳到今天的任务
page-today = 今天
page-board = 今天
page-tickets = 需要你
page-alerts = 请留意
page-next = 接下来
page-report = 最近一份晨报
page-report-none = 还没有发出过晨报。
page-report-made = { $time } 生成
page-report-all = 打开晨报
page-state = 后台
page-nothing-to-come = 没有排定的执行。
page-no-tasks = 还没有任务。写好第一个任务文件后，它会出现在这里。
page-no-tickets = 没有需要你处理的事。

page-headline-to-come = 今天还有 { $count } 项
page-headline-quiet = 今天没有要做的事
page-counts-done = { $count } 项完成
page-counts-open = { $count } 项未完

page-run = 立即执行
page-run-task = 立即执行：{ $task }
page-close = 已处理
page-close-ticket = 已处理，关闭工单 { $number }
page-closed = 工单 { $number } 已关闭，下一轮会再看
page-runs-now = 开始执行
page-not-run = 没有执行
page-no-answer = 没有可以执行的
page-failed = 没有成功
page-lost = 连不上后台。下面是它最后一次的状态；请确认 sunup serve 还在运行。

page-time-today = { $time }
page-time-tomorrow = 明天 { $time }
page-time-yesterday = 昨天 { $time }
page-until = 到 { $time }
page-next-due = 下次 { $time }
page-done-at = { $time } 核实
page-no-slot = 今天不执行
page-account = 账号 { $account }
page-ticket-link = 工单 { $number }
page-picture = 看截图
page-page = 页面：
page-sign-in = 在终端执行
page-command = 或在终端执行

page-days = 最近 { $days } 天
page-days-label = 最近 { $days } 天：{ $counts }
page-days-none = 最近 { $days } 天：没有记录
page-day = { $date }：{ $status }
square-good = 完成
square-attention = 未证实、等你或错过
square-bad = 没做成
square-off = 不用做
square-none = 没有记录
square-good-count = { $count } 天完成
square-attention-count = { $count } 天未证实、等你或错过
square-bad-count = { $count } 天没做成
square-off-count = { $count } 天不用做

page-wellness-fresh = 刚装好，还没有结果
page-wellness-last_verified = 正常
page-wellness-last_failed = 最近一次没有全部做成
page-wellness-wedged = 后台卡住了：请查看它的日志，并重新启动
page-round-now = 正在执行，{ $time } 开始
page-round-last = 上一轮 { $time } 结束
page-round-next = 下一轮 { $time }
page-round-fault = 上一轮中断了：{ $reason }
page-files-fault = 文件有错，仍按改动之前的执行：{ $reason }
page-since = 自 { $time } 起运行
page-zone = 时区 { $zone }

reason-waiting = 等着再试
reason-queued = 排在后面

door-locked-title = 请用链接进入
door-locked-text = 在这台机器上运行下面的命令，再打开它给出的链接。链接只能用一次。
door-link-title = 这个链接已经失效
door-link-text = 链接只能用一次，十分钟内有效。再要一个：
door-host-title = 地址不对
door-host-text = 请用 127.0.0.1 或 localhost 加端口访问这个页面。
door-foreign-title = 拒绝了来自其他页面的请求
door-foreign-text = 只有状态页自己，或带着令牌的程序，才能在这里启动什么。
door-nothing-title = 这里没有东西
door-nothing-text = 这个地址没有页面，或那一天没有记录。
door-unavailable-title = 现在答不上来
door-unavailable-text = 账本或后台暂时没有回应；原因在下面，也在后台的日志里。
door-other-title = 不明白这个请求
door-other-text = 这个地址不能这样访问。
door-back = 回到状态页
